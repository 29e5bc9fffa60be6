/** An address without percent escapes, as front matter has it; as it is where its escapes are malformed. */
export function decodedAddress(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
