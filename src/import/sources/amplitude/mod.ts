import { UsageError } from "../../../types/mod.ts";
import { formatByName, originOfFiles } from "../../mapping/mod.ts";
import { readDays, readHost, refuseOf } from "../../staging/mod.ts";
import type { Source } from "../../types.ts";
import { REGIONS, stageApi } from "./api.ts";
import { mapRow } from "./event.ts";
import type { AmplitudeApi, AmplitudeOptions } from "./options.ts";

const API_KEY = "AMPLITUDE_API_KEY";
const SECRET_KEY = "AMPLITUDE_SECRET_KEY";

/** Files of Amplitude's export, or its API itself. */
export const amplitude: Source<AmplitudeOptions> = {
  name: "amplitude",
  usage: `weir import amplitude FILE…
  Files of Amplitude's export: its zip, or the JSON lines within, packed or not.

weir import amplitude --from DAY --to DAY
  By the API, with the project's keys in ${API_KEY} and ${SECRET_KEY}. The days are those of the upload, in UTC.
  --region us|eu           where the project is (us)
  --amplitude-host URL     another address of the API`,
  options: { from: "text", to: "text", region: "text", "amplitude-host": "text" },
  read(given, words) {
    if (words.length === 0) return { files: words, api: readApi(given) };
    refuseOf("the API, not for files", given, ["region", "amplitude-host"]);
    return { files: words, api: null };
  },
  mappingOf: () => JSON.stringify({ amplitude: 1 }),
  originOf: ({ files, api }) =>
    api === null ? originOfFiles(files) : `${api.url} ${api.apiKey} ${api.from} to ${api.to}`,
  inputs: ({ files }) => files,
  stage: async ({ api }, to) => {
    if (api !== null) await stageApi(api, to);
  },
  stages: [{ name: "events", formatOf: formatByName, map: mapRow, asksForFirsts: true, numbersCopies: true }],
};

function readApi(given: Record<string, string | boolean | undefined>): AmplitudeApi {
  if (given.from === undefined) throw new UsageError("Name files, or give --from and --to.");
  const url = REGIONS.get(String(given.region ?? "us"));
  if (url === undefined) throw new UsageError("--region is us or eu.");
  return {
    url: readHost(given["amplitude-host"], "amplitude-host") ?? url,
    apiKey: keyIn(API_KEY),
    secretKey: keyIn(SECRET_KEY),
    ...readDays(given),
  };
}

function keyIn(name: string): string {
  const key = process.env[name];
  if (key === undefined || key === "") throw new UsageError(`${name} is to hold a key of the project.`);
  return key;
}
