import { openPlace, type Place } from "../../backup/mod.ts";
import { UsageError } from "../../types/mod.ts";

/** PLACE of a command line: a folder, or `s3://BUCKET/PREFIX` with the credentials of the environment. Throws UsageError. */
export function placeAt(address: string | undefined, endpoint: string | undefined): Place {
  if (address === undefined) throw new UsageError("PLACE is missing.");
  if (endpoint !== undefined && !address.startsWith("s3://")) {
    throw new UsageError(`--endpoint is for s3://BUCKET/PREFIX, not for the folder "${address}".`);
  }
  return openPlace(address, { endpoint, env: process.env });
}
