/** From this size on a memory is handed over to another thread; a smaller one is copied. */
const CARRIED_MIN_BYTES = 64 * 1024;

/** The memory of all large arrays of bytes or integers in plain data: it moves to the thread that the data is sent to. */
export function carried(data: unknown, found: ArrayBuffer[] = []): ArrayBuffer[] {
  if (ArrayBuffer.isView(data)) {
    // Small arrays may be parts of a memory that others are parts of, too.
    const { buffer, byteLength } = data;
    if (byteLength >= CARRIED_MIN_BYTES && buffer instanceof ArrayBuffer && !found.includes(buffer)) found.push(buffer);
  } else if (typeof data === "object" && data !== null && !Array.isArray(data)) {
    for (const part of Object.values(data)) carried(part, found);
  }
  return found;
}

/** Data as it was sent: what was a Buffer is one again. */
export function received(data: unknown): unknown {
  if (data instanceof Uint8Array) return Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data) || Array.isArray(data)) return data;
  return Object.fromEntries(Object.entries(data).map(([name, part]) => [name, received(part)]));
}
