import { only } from "../../types/mod.ts";
import type { Destination } from "../model.ts";
import { namesIn } from "./fileConfig.ts";
import { FILE_DOWNLOAD } from "./fileDownload.ts";
import { FOLDER } from "./folder.ts";

export { namesIn } from "./fileConfig.ts";
export { downloadFolder } from "./fileDownload.ts";
export { partName } from "./fileNames.ts";

/** Each kind by its name in the API; what others than files need is loaded when it is first used. */
const KINDS: Readonly<Record<string, () => Promise<Destination>>> = {
  Folder: async () => FOLDER,
  FileDownload: async () => FILE_DOWNLOAD,
  S3: () => s3("S3"),
  AwsS3: () => s3("AwsS3"),
  S3Compatible: () => s3("S3Compatible"),
  Postgres: async () => (await import("./postgres/mod.ts")).POSTGRES,
  HTTP: async () => (await import("./http.ts")).HTTP,
};

async function s3(type: string): Promise<Destination> {
  const { S3_DESTINATIONS } = await import("./s3/mod.ts");
  return only(S3_DESTINATIONS.filter((kind) => kind.type === type));
}

/** Null where Weir has none of this name. */
export async function destinationOf(type: string): Promise<Destination | null> {
  return Object.hasOwn(KINDS, type) ? KINDS[type]!() : null;
}

/** The config as the destination takes it. Throws TerminalError `invalid_config`. */
export function checkConfig(kind: Destination, config: Record<string, unknown>): Record<string, unknown> {
  for (const member of ["include_events", "exclude_events"]) namesIn(config, member);
  return kind.check(config);
}
