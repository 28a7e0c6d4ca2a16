/** Where the events are, and where they were. */
export { type DiskRoom, diskRoom } from "./disk.ts";
export { type IngestionStatus, ingestionStatus, ingestionStatuses } from "./ingestionStatus.ts";
export { type InstallationStatus, type PartitionStatus, readInstallation } from "./installation.ts";
export { Sampler } from "./sampler.ts";
