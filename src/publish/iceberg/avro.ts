import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { streams } from "avsc";

/** Writes records to an Avro file. `schema` goes into it as it stands, with attributes that Avro does not know. */
export async function writeAvro(
  path: string,
  schema: object,
  records: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Promise<void> {
  const inBytes = Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value)]));
  const encoder = new streams.BlockEncoder(schema as never, { codec: "deflate", metadata: inBytes } as never);
  const file = createWriteStream(path);
  encoder.pipe(file);
  for (const record of records) if (!encoder.write(record)) await once(encoder, "drain");
  encoder.end();
  await once(file, "finish");
}
