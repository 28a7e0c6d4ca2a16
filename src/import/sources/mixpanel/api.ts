import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { TerminalError } from "../../../types/mod.ts";
import { askJson, type Downloads, downloadTo, LinesEnding, RequestLimit, rangesOf } from "../../staging/mod.ts";
import type { Staging } from "../../types.ts";
import type { MixpanelApi } from "./options.ts";

/** Mixpanel's limits, for each of its two APIs. */
const RULES = [
  { requests: 60, withinMs: 3_600_000 },
  { requests: 3, withinMs: 1_000 },
];

const PROFILES = "profiles.jsonl.gz";

/** Where the APIs of a region are. */
export const REGIONS = new Map([
  ["us", { dataUrl: "https://data.mixpanel.com", queryUrl: "https://mixpanel.com" }],
  ["eu", { dataUrl: "https://data-eu.mixpanel.com", queryUrl: "https://eu.mixpanel.com" }],
  ["in", { dataUrl: "https://data-in.mixpanel.com", queryUrl: "https://in.mixpanel.com" }],
]);

/** Brings events, a file for each range of days, and profiles: in one file those of people, and in one those of each group key. */
export async function stageApi(api: MixpanelApi, to: Staging): Promise<void> {
  const ranges = rangesOf(api.from, api.to, api.daysPerFile);
  const all = ranges.length + (api.profiles ? 1 : 0) + api.groups.length;
  const exports = downloadsOf(to);
  for (const [done, range] of ranges.entries()) {
    to.tell(done, all);
    const name = range.from === range.to ? range.from : `${range.from}_${range.to}`;
    await to.part(`events-${name}.jsonl.gz`, async (path) => {
      const target = { path, isPacked: true, ending: () => new LinesEnding() };
      const found = await downloadTo(target, exportRequest(api, range), exports);
      if (!found) throw new TerminalError("not_found", "Mixpanel does not know this project or address (404).");
    });
  }
  to.tell(ranges.length, all);
  if (api.profiles) await to.part(PROFILES, (path) => writeProfiles(api, { path }, downloadsOf(to)));
  for (const group of api.groups) {
    const name = `group-profiles-${group.dataGroupId}.jsonl.gz`;
    await to.part(name, (path) => writeProfiles(api, { path, group }, downloadsOf(to)));
  }
  to.tell(all, all);
}

function downloadsOf(to: Staging): Downloads {
  const waiting = (reason: string | null) => to.waiting(reason);
  return { name: "Mixpanel", limit: new RequestLimit(RULES), signal: to.signal, waiting };
}

function exportRequest(api: MixpanelApi, range: { from: string; to: string }) {
  const query = new URLSearchParams({
    from_date: range.from,
    to_date: range.to,
    project_id: api.mixpanelProject,
    time_in_ms: "true",
  });
  return { url: `${api.dataUrl}/api/2.0/export?${query}`, headers: headersOf(api) };
}

function headersOf({ account, secret }: MixpanelApi): Record<string, string> {
  return {
    authorization: `Basic ${Buffer.from(`${account}:${secret}`).toString("base64")}`,
    accept: "application/json",
  };
}

interface Page {
  results?: unknown[];
  page?: number;
  page_size?: number;
  session_id?: string;
}

/** All pages of one query, of people or of a group key, so that no profile moves from page to page meanwhile. */
async function writeProfiles(
  api: MixpanelApi,
  { path, group }: { path: string; group?: MixpanelApi["groups"][number] },
  downloads: Downloads,
): Promise<void> {
  const query = new URLSearchParams({ project_id: api.mixpanelProject });
  const request = { url: `${api.queryUrl}/api/query/engage?${query}`, headers: headersOf(api) };
  const pages = async function* () {
    const own: Record<string, string> = group === undefined ? {} : { data_group_id: group.dataGroupId };
    let form = own;
    for (;;) {
      const page = (await askJson({ ...request, form }, downloads)) as Page;
      const results = Array.isArray(page.results) ? page.results : [];
      // The answer does not tell what it was asked for.
      const mark = group !== undefined && { $group_key: group.name };
      yield results.map((profile) => `${JSON.stringify({ ...mark, ...(profile as object) })}\n`).join("");
      if (results.length === 0 || results.length < (page.page_size ?? 1_000)) return;
      form = { ...own, session_id: page.session_id ?? "", page: String((page.page ?? 0) + 1) };
    }
  };
  await pipeline(pages, createGzip(), createWriteStream(path));
}
