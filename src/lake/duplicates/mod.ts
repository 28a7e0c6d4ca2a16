export { DuplicateIndex, type OwnedPartitions } from "./duplicateIndex.ts";
export { duplicateKey, KeyCollector, KeyFile, type KeyGroup } from "./keyFile.ts";
export { mapKeyFile } from "./mappedKeys.ts";
export type { CheckedEvent } from "./probes.ts";
