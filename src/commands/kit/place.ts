import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { openPlace, type Place } from "../../backup/mod.ts";
import { Bucket } from "../../bucket/mod.ts";
import type { Config } from "../../config.ts";
import { storeBucket } from "../../roles/paths.ts";
import { UsageError } from "../../types/mod.ts";

/** PLACE of a command line: a folder, or `s3://BUCKET/PREFIX` with the credentials of the environment. Throws UsageError. */
export function placeAt(address: string | undefined, endpoint: string | undefined): Place {
  if (address === undefined) throw new UsageError("PLACE is missing.");
  if (endpoint !== undefined && !address.startsWith("s3://")) {
    throw new UsageError(`--endpoint is for s3://BUCKET/PREFIX, not for the folder "${address}".`);
  }
  return openPlace(address, { endpoint, env: process.env });
}

/** PLACE of a command that writes there. Throws UsageError, also for a place that is not beside those of this Weir. */
export function placeBeside(address: string | undefined, endpoint: string | undefined, config: Config): Place {
  const place = placeAt(address, endpoint);
  if (address?.startsWith("s3://")) assertBucketBeside(Bucket.at(address, { endpoint, env: process.env }), config);
  else if (address !== undefined) assertFolderBeside(address, config);
  return place;
}

/** Throws UsageError for a folder that is in one of this Weir's, or has one of them in it. */
export function assertFolderBeside(folder: string, { dataDir, storeUrl }: Config): void {
  const place = within(realPath(folder));
  const own = { WEIR_DATA_DIR: dataDir, WEIR_STORE_URL: storeUrl?.startsWith("s3://") ? null : storeUrl };
  for (const [name, path] of Object.entries(own)) {
    if (path === null) continue;
    const root = within(realPath(path));
    if (place.startsWith(root) || root.startsWith(place)) throw notBeside(folder, `${path} (${name})`);
  }
}

function assertBucketBeside(place: Bucket, config: Config): void {
  if (!storeBucket(config)?.overlaps(place)) return;
  throw notBeside(place.nameOf(place.prefix), `${config.storeUrl} (WEIR_STORE_URL)`);
}

const notBeside = (place: string, own: string) =>
  new UsageError(`"${place}" overlaps with ${own}, where Weir keeps its own data: name a place beside it.`);

const within = (path: string): string => (path.endsWith("/") ? path : `${path}/`);

/** Without links, as far as the path exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  try {
    return realpathSync(whole);
  } catch {
    return whole === dirname(whole) ? whole : join(realPath(dirname(whole)), basename(whole));
  }
}
