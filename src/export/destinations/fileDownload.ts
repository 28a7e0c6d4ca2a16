import { join } from "node:path";
import type { Destination } from "../model.ts";
import { FILE_MEMBERS, formOf, readFileConfig, refuseOthers } from "./fileConfig.ts";
import { FolderFiles } from "./folderFiles.ts";

/** The folder of the files of a download, below that of all. `exportId`: of the download. */
export const downloadFolder = (folder: string, exportId: string): string => join(folder, "downloads", exportId);

/** Files that lie with Weir until they are downloaded. */
export const FILE_DOWNLOAD: Destination = {
  type: "FileDownload",
  secrets: [],
  check(config) {
    refuseOthers(config, FILE_MEMBERS);
    return readFileConfig(config, "Parquet");
  },
  async open(config, range, { folder }) {
    const form = formOf(readFileConfig(config, "Parquet"));
    return new FolderFiles(downloadFolder(folder, range.exportId), range, form, false);
  },
};
