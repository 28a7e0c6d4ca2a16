import { existsSync, readFileSync } from "node:fs";
import type { Config } from "../config.ts";
import { TerminalError } from "../types/mod.ts";
import { paths } from "./paths.ts";

/** The shared broker, or the one that `weir start` runs on this data folder. Throws TerminalError `no_broker`. */
export function brokerUrl(config: Config): string {
  if (config.natsUrl !== null) return config.natsUrl;
  const file = paths(config).brokerUrl;
  if (!existsSync(file)) {
    throw new TerminalError(
      "no_broker",
      `No Weir is running on ${config.dataDir} (WEIR_DATA_DIR): run \`weir start\` first, or set NATS_URL.`,
    );
  }
  return readFileSync(file, "utf8").trim();
}
