export { Bucket, type BucketOptions, type ListedObject } from "./bucket.ts";
