export { Bucket, type BucketOptions } from "./bucket.ts";
export { type Measured, measure, measureFile, type OpenFile } from "./measure.ts";
export { assertOfBucket, S3Answer } from "./patience.ts";
