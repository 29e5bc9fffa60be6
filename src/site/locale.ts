/** The site's language as `Intl` takes it; English where the text is no language tag. */
export function localeOf(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0] ?? 'en';
  } catch (error) {
    if (error instanceof RangeError) return 'en';
    throw error;
  }
}
