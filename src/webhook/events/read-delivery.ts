import { namesOf } from '../../article/article.js';
import { type ContractHeader, type Delivery, jsonIn, parseDelivery } from '../../contract/envelope.js';

/** Decodes, parses and validates a verified body like `parseDelivery`, and normalises its names for the store. */
export function readDelivery(body: Uint8Array, contract: ContractHeader): Delivery {
  const delivery = parseDelivery(bufferOf(body), contract);
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return delivery;
  return { ...delivery, data: { ...delivery.data, ...namesOf(delivery.data) } } as Delivery;
}

/** The JSON in the verified body of another service. @throws PressmarkError BODY_INVALID. */
export function readJson(body: Uint8Array): unknown {
  return jsonIn(bufferOf(body));
}

/** Bytes from another thread are no longer a `Buffer`. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
