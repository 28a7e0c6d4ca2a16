import { UsageError } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import { formatByName, isZone, nameOf, originOfFiles } from "../../mapping/mod.ts";
import { readDays, readHost } from "../../staging/mod.ts";
import type { Format, Mapped, Source } from "../../types.ts";
import { REGIONS, stageApi } from "./api.ts";
import { mapEvent } from "./event.ts";
import type { MixpanelApi, MixpanelOptions } from "./options.ts";
import { mapProfile } from "./profile.ts";

const SECRET = "MIXPANEL_SECRET";

type Given = Record<string, string | boolean | undefined>;

/** Files of `/api/2.0/export` and `/api/query/engage`, or these APIs themselves. */
export const mixpanel: Source<MixpanelOptions> = {
  name: "mixpanel",
  summary: "events and profiles of Mixpanel, from files or by its API",
  usage: `weir import mixpanel FILE…
  Files of Mixpanel's raw export: JSON lines, packed or not. Files with profiles have "profiles", "engage" or "people" in
  their name.

weir import mixpanel --mixpanel-project ID --account NAME --from DAY --to DAY
  By the API, with a service account whose secret is in ${SECRET}.
  --region us|eu|in      where the project is (us)
  --days-per-file N      days in a request, 1 to 31 (1). Mixpanel answers 60 requests an hour.
  --no-profiles          events only
  --mixpanel-host URL    another address for both APIs

  --source-timezone ZONE  times are by the clocks of this zone, such as Europe/Berlin: projects made before 2023`,
  options: {
    "mixpanel-project": "text",
    account: "text",
    from: "text",
    to: "text",
    region: "text",
    "days-per-file": "text",
    "no-profiles": "flag",
    "mixpanel-host": "text",
    "source-timezone": "text",
  },
  read: (given, words) => ({
    files: words,
    api: words.length > 0 ? null : readApi(given),
    timezone: readZone(given["source-timezone"]),
  }),
  mappingOf: ({ timezone }) => JSON.stringify({ mixpanel: 1, timezone }),
  originOf: ({ files, api }) => (api === null ? originOfFiles(files) : originOfApi(api)),
  inputs: ({ files }) => files,
  stage: async ({ api }, to) => {
    if (api !== null) await stageApi(api, to);
  },
  stages: [
    { name: "profiles", formatOf: (file) => formatWhere(file, true), map: mapRow, asksForFirsts: false },
    {
      name: "events",
      formatOf: (file) => formatWhere(file, false),
      map: mapRow,
      asksForFirsts: true,
      numbersCopies: true,
    },
  ],
};

function formatWhere(file: string, profiles: boolean): Format | null {
  return /profiles|engage|people/i.test(nameOf(file)) === profiles ? formatByName(file) : null;
}

/** What a row is shows by its members, whatever its file is called. */
function mapRow(fields: Fields, options: MixpanelOptions): Mapped {
  const { row } = fields;
  const isProfile = row.event === undefined && row.$distinct_id !== undefined;
  return isProfile ? mapProfile(fields, options) : mapEvent(fields, options);
}

function originOfApi({ dataUrl, mixpanelProject, from, to }: MixpanelApi): string {
  return `${dataUrl} project ${mixpanelProject} ${from} to ${to}`;
}

function readZone(zone: string | boolean | undefined): string | null {
  if (typeof zone !== "string") return null;
  if (isZone(zone)) return zone;
  throw new UsageError(`--source-timezone: ${zone} is no time zone, such as Europe/Berlin.`);
}

function readApi(given: Given): MixpanelApi {
  const { account, region = "us" } = given;
  const mixpanelProject = given["mixpanel-project"];
  if (typeof mixpanelProject !== "string" || typeof account !== "string") {
    throw new UsageError("Name files, or give --mixpanel-project and --account.");
  }
  const secret = process.env[SECRET];
  if (secret === undefined || secret === "") throw new UsageError(`${SECRET} is to hold the account's secret.`);
  const urls = REGIONS.get(String(region));
  if (urls === undefined) throw new UsageError("--region is us, eu or in.");
  const own = readHost(given["mixpanel-host"], "mixpanel-host");
  return {
    ...(own === null ? urls : { dataUrl: own, queryUrl: own }),
    ...{ mixpanelProject, account, secret },
    ...readDays(given),
    daysPerFile: readDaysPerFile(given["days-per-file"]),
    profiles: given["no-profiles"] !== true,
  };
}

function readDaysPerFile(text: string | boolean | undefined): number {
  const days = text === undefined ? 1 : Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 31) return days;
  throw new UsageError("--days-per-file takes a number from 1 to 31.");
}
