import { namesOf } from '../../article/article.js';
import { type ContractHeader, type Delivery, parseDelivery } from '../../contract/envelope.js';

/**
 * Decodes, parses and validates a verified body as `parseDelivery` does, and makes the names in it as they are stored.
 */
export function readDelivery(body: Uint8Array, contract: ContractHeader): Delivery {
  const delivery = parseDelivery(Buffer.from(body.buffer, body.byteOffset, body.length), contract);
  if (delivery.event !== 'article.published' && delivery.event !== 'article.updated') return delivery;
  return { ...delivery, data: { ...delivery.data, ...namesOf(delivery.data) } } as Delivery;
}
