import type { Destination } from "../model.ts";
import { FILE_DOWNLOAD } from "./fileDownload.ts";
import { FOLDER } from "./folder.ts";

export { names } from "./fileConfig.ts";
export { downloadFolder } from "./fileDownload.ts";
export { partName } from "./fileNames.ts";

/** Each kind by its name in the API; loaded when it is first used. */
const KINDS: Readonly<Record<string, () => Promise<Destination>>> = {
  Folder: async () => FOLDER,
  FileDownload: async () => FILE_DOWNLOAD,
};

export const DESTINATION_TYPES: readonly string[] = Object.keys(KINDS);

/** Null where Weir has none of this name. */
export async function destinationOf(type: string): Promise<Destination | null> {
  return Object.hasOwn(KINDS, type) ? KINDS[type]!() : null;
}
