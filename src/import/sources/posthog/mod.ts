import { Api } from "../../api/mod.ts";
import { formatOf, isCsv, isGroupedPersons, mapCsvEvent, mapEvent, PERSONS, stagePersons } from "../../exported/mod.ts";
import { bringObjects, readObjects } from "../../objects/mod.ts";
import type { Source } from "../../types.ts";
import { stageClickHouse } from "./clickhouse.ts";
import { stageCloud } from "./cloud.ts";
import { isStagedPersons, OPTIONS, originOf, type PosthogOptions, readOptions } from "./options.ts";

/** Files of batch exports, the API of a PostHog, or its database. */
export const posthog: Source<PosthogOptions> = {
  name: "posthog",
  usage: `weir import posthog FILE… [--persons FILE,…]
  Files of batch exports with events (Parquet or JSON lines, of any age), or of HogQL and the events page (CSV with uuid,
  event, distinct_id, timestamp, and properties or columns such as properties.$browser).
  --persons FILE,…       files and folders of the persons model; persons are made before the events are sent

weir import posthog --from-cloud --posthog-project ID [--posthog-host URL]
  By the API, week by week, with a personal API key in POSTHOG_API_KEY: events, persons, then insights, dashboards, cohorts,
  actions, annotations, alerts (turned off), definitions and settings.
  --posthog-host URL     https://us.posthog.com when absent; https://eu.posthog.com, your own, or another Weir
  --from DAY, --to DAY   what PostHog took in on these days; all when absent
  --no-objects           events and persons only
  --overwrite-objects    insights and the like that are here with other content become those of there

weir import posthog --clickhouse URL --posthog-project ID
  From the database of a PostHog of your own, over its HTTP interface, as CLICKHOUSE_USER with CLICKHOUSE_PASSWORD.
  --from DAY, --to DAY   events of these days; all when absent`,
  options: OPTIONS,
  read: (given, words) => readOptions(given, words),
  mappingOf: () => "posthog 1",
  originOf,
  inputs: ({ events }) => events,
  async stage(options, to) {
    const range = { fromMs: options.fromMs, toMs: options.toMs };
    const staged: string[] = [];
    if (options.cloud !== null) staged.push(...(await stageCloud(options.cloud, range, to)));
    if (options.clickhouse !== null) staged.push(...(await stageClickHouse(options.clickhouse, range, to)));
    const files = [...staged.map((name) => to.path(name)), ...options.persons];
    if (files.length > 0) await stagePersons(files, to);
  },
  async objects({ cloud, withObjects, overwrites }, { to, knownPath, signal }) {
    if (cloud === null || !withObjects) return null;
    const found = await readObjects(new Api(cloud, signal));
    return bringObjects(found, new Api(to, signal), { knownPath, overwrite: overwrites });
  },
  stages: [
    PERSONS,
    {
      name: "events",
      formatOf: (file) => (isGroupedPersons(file) || isStagedPersons(file) || isCsv(file) ? null : formatOf(file)),
      map: mapEvent,
      asksForFirsts: false,
    },
    {
      name: "events in CSV",
      formatOf: (file) => (isCsv(file) ? formatOf(file) : null),
      map: mapCsvEvent,
      asksForFirsts: false,
    },
  ],
};
