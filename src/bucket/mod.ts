export { Bucket, type BucketOptions, type ListedObject } from "./bucket.ts";
export { type FileHash, hashFile } from "./hash.ts";
export { S3Answer } from "./patience.ts";
