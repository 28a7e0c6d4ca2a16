import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  bytes: Uint8Array;
  /** Deflated bytes in place of those of `bytes`. */
  packed?: Buffer;
  /** What the directory says in place of the truth. */
  claimedSize?: number;
  claimedOffset?: number;
  claimedEntries?: number;
}

/** A zip file, made by hand so that its directory can lie. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, packed = deflateRawSync(bytes), claimedSize, claimedOffset } of entries) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedSize ?? bytes.length, 18);
    common.writeUInt16LE(name.length, 22);
    locals.push(Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.from(name), packed]));
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(claimedOffset ?? offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00"), common, tail, Buffer.from(name)]));
    offset += locals.at(-1)!.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  const count = entries[0]?.claimedEntries ?? entries.length;
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, list, end]);
}
