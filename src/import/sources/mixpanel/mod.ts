import { UsageError } from "../../../types/mod.ts";
import type { Fields } from "../../fields.ts";
import { formatByName, isZone, nameOf, originOfFiles } from "../../mapping/mod.ts";
import { readDays, readHost, refuseOf } from "../../staging/mod.ts";
import type { Format, Mapped, Source } from "../../types.ts";
import { REGIONS, stageApi } from "./api.ts";
import { mapEvent } from "./event.ts";
import { mapGroup } from "./group.ts";
import type { GroupKey, MixpanelApi, MixpanelOptions } from "./options.ts";
import { mapProfile } from "./profile.ts";

const SECRET = "MIXPANEL_SECRET";
/** Files have their own days: `--from` and `--to` serve both. */
const OF_API = ["mixpanel-project", "account", "region", "days-per-file", "no-profiles", "mixpanel-host"];

type Given = Record<string, string | boolean | undefined>;

/** Files of `/api/2.0/export` and `/api/query/engage`, or these APIs themselves. */
export const mixpanel: Source<MixpanelOptions> = {
  name: "mixpanel",
  usage: `weir import mixpanel FILE…
  Files of Mixpanel's raw export: JSON lines, packed or not. Files with profiles have "profiles", "engage" or "people" in
  their name; those of groups "group-profiles".

weir import mixpanel --mixpanel-project ID --account NAME --from DAY --to DAY
  By the API, with a service account whose secret is in ${SECRET}.
  --region us|eu|in      where the project is (us)
  --days-per-file N      days in a request, 1 to 31 (1). Mixpanel answers 60 requests an hour.
  --no-profiles          events only
  --mixpanel-host URL    another address for both APIs

  --group-keys KEY,…      properties of events that name groups, such as company_id. KEY=DATA_GROUP_ID asks the API for the
                          profiles of these groups, too
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
    "group-keys": "text",
  },
  read: (given, words) => {
    const groupKeys = readGroupKeys(given["group-keys"]);
    if (words.length > 0) refuseOf("the API, not for files", given, OF_API);
    const api = words.length > 0 ? null : readApi(given, groupKeys);
    return { files: words, api, timezone: readZone(given["source-timezone"]), groupKeys };
  },
  mappingOf: ({ timezone, groupKeys }) => {
    const groups = groupKeys.map(({ name }) => name).sort();
    return JSON.stringify({ mixpanel: 1, timezone, ...(groups.length > 0 && { groups }) });
  },
  originOf: ({ files, api }) => (api === null ? originOfFiles(files) : originOfApi(api)),
  inputs: ({ files }) => files,
  stage: async ({ api }, to) => {
    if (api !== null) await stageApi(api, to);
  },
  stages: [
    { name: "group profiles", formatOf: (file) => formatWhere(file, "groups"), map: mapGroup, asksForFirsts: false },
    { name: "profiles", formatOf: (file) => formatWhere(file, "people"), map: mapRow, asksForFirsts: false },
    {
      name: "events",
      formatOf: (file) => formatWhere(file, "events"),
      map: mapRow,
      asksForFirsts: true,
      numbersCopies: true,
    },
  ],
};

type Kind = "groups" | "people" | "events";

function kindOf(file: string): Kind {
  const name = nameOf(file);
  if (/group[-_ ]?profiles/i.test(name)) return "groups";
  return /profiles|engage|people/i.test(name) ? "people" : "events";
}

function formatWhere(file: string, kind: Kind): Format | null {
  return kindOf(file) === kind ? formatByName(file) : null;
}

/** What a row is shows by its members, whatever its file is called. */
function mapRow(fields: Fields, options: MixpanelOptions): Mapped {
  const { row } = fields;
  if (row.event === undefined && row.$group_key !== undefined) return mapGroup(fields, options);
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

/** `company_id,team=-4573652923445838838`; a data group id is a number that may be negative. */
function readGroupKeys(text: string | boolean | undefined): GroupKey[] {
  if (typeof text !== "string") return [];
  return text.split(",").map((word) => {
    const [name = "", id, more] = word.split("=");
    if (name.trim() === "" || more !== undefined || (id !== undefined && !/^-?\d+$/.test(id)))
      throw new UsageError(`--group-keys: "${word}" is no KEY or KEY=DATA_GROUP_ID.`);
    return { name: name.trim(), dataGroupId: id ?? null };
  });
}

function readApi(given: Given, groupKeys: readonly GroupKey[]): MixpanelApi {
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
    groups: groupKeys.flatMap(({ name, dataGroupId }) => (dataGroupId === null ? [] : [{ name, dataGroupId }])),
  };
}

function readDaysPerFile(text: string | boolean | undefined): number {
  const days = text === undefined ? 1 : Number(text);
  if (Number.isInteger(days) && days >= 1 && days <= 31) return days;
  throw new UsageError("--days-per-file takes a number from 1 to 31.");
}
