export { type DataFile, type SnapshotFiles, writeManifest, writeManifestList } from "./manifest.ts";
export { schemaIdFor, type TableMetadata, withSnapshot } from "./metadata.ts";
export { type Field, namedApart } from "./schema.ts";
