/** Writes the 16 bytes of a canonical uuid. */
export function writeUuid(uuid: string, buffer: Buffer, at: number): void {
  for (let i = 0, from = 0; i < 16; i++) {
    if (uuid.charCodeAt(from) === 45) from++;
    buffer[at + i] = (digit(uuid.charCodeAt(from)) << 4) | digit(uuid.charCodeAt(from + 1));
    from += 2;
  }
}

const digit = (code: number): number => (code <= 57 ? code - 48 : code - 87);

/** The canonical uuid of 16 bytes. */
export function readUuid(buffer: Buffer, at: number): string {
  const hex = buffer.toString("hex", at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
