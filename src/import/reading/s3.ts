import { Bucket, type BucketOptions } from "../../bucket/mod.ts";
import type { Input } from "./input.ts";

/** The objects below `s3://bucket/prefix`, sorted by key. Throws UsageError, and TerminalError `s3_refused`. */
export async function s3Inputs(address: string, options: BucketOptions): Promise<Input[]> {
  const bucket = Bucket.at(address, options);
  const objects = (await bucket.list()).filter(({ key }) => !key.endsWith("/"));
  const inputs = objects.map(({ key, sizeBytes, version }): Input => {
    const open = (signal: AbortSignal) => bucket.pieces(key, { sizeBytes, signal });
    return { name: bucket.nameOf(key), path: null, sizeBytes, version, open };
  });
  return inputs.sort((a, b) => (a.name < b.name ? -1 : 1));
}
