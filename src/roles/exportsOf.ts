import type { Config } from "../config.ts";
import type { Exports } from "../manage/mod.ts";
import { SecretBox } from "../outgoing/mod.ts";
import { paths } from "./paths.ts";

/** What exports of this machine share with its management API. */
export function exportsOf(config: Config): Exports {
  return {
    secrets: new SecretBox({ dataDir: config.dataDir, setting: config.exportKey }),
    env: {
      folder: paths(config).exports,
      allowedFolders: config.exportFolders,
      allowPrivate: config.exportAllowPrivate,
    },
  };
}
