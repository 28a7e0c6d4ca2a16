import { type Difference, differences, isObject, type Json, type JsonObject, QUERY_RULES } from "./match.ts";
import { QueryScene, type SceneData } from "./queryScene.ts";
import type { Project, Reply, Service } from "./service.ts";

interface Expectation {
  results?: Json[];
  results_length?: number;
  results_unordered?: Json[];
  sort_results_by?: string;
  at?: Record<string, Json>;
  retention_counts?: number[][];
  labels?: string[];
  dates?: string[];
  results_summary?: JsonObject[];
  rows?: Json[][];
  rows_length?: number;
  printed_hogql?: string;
  error?: string;
}

export interface QueryCase extends SceneData {
  name: string;
  /** What the clock shows for the query. */
  now?: string;
  query: JsonObject;
  expect: Expectation;
}

export async function runQueryCase(service: Service, project: Project, c: QueryCase): Promise<Difference[]> {
  const scene = new QueryScene(service, project);
  const problems = await scene.make(c);
  const body = { query: scene.mapIds(c.query), refresh: "force_blocking" };
  const headers: Record<string, string> = c.now === undefined ? {} : { "X-Weir-Now": c.now };
  const reply = await service.api("POST", `/api/environments/${project.id}/query/`, body, headers);
  return [...problems, ...checkAnswer(scene.mapExpected(c.expect, c.query), reply)];
}

function checkAnswer(expect: Expectation, reply: Reply): Difference[] {
  if (expect.error !== undefined) return checkError(expect.error, reply);
  if (reply.status !== 200 || !isObject(reply.json)) {
    return [{ path: "status", expected: 200, got: `${reply.status} ${reply.text.slice(0, 300)}` }];
  }
  const answer = reply.json;
  const raw = answer.results ?? null;
  const results = expect.sort_results_by === undefined ? raw : sortBy(raw, expect.sort_results_by);
  const list = Array.isArray(results) ? results : [];
  const compare = (path: string, expected: Json, got: Json | undefined) =>
    differences(expected, got, path, QUERY_RULES);
  const found: Difference[] = [];
  const add = (path: string, expected: Json | undefined, got: () => Json | undefined) => {
    if (expected !== undefined) found.push(...compare(path, expected, got()));
  };

  // No results beside a length say nothing of what they are.
  const isLengthOnly = expect.results?.length === 0 && expect.results_length !== undefined;
  if (!isLengthOnly) add("results", expect.results, () => results);
  add("results_length", expect.results_length, () => list.length);
  if (expect.results_unordered !== undefined) found.push(...checkUnordered(expect.results_unordered, list));
  for (const [path, value] of Object.entries(expect.at ?? {})) add(path, value, () => valueAt(answer, path));
  if (expect.retention_counts !== undefined) found.push(...checkRetention(expect.retention_counts, list));
  add("labels", expect.labels, () => list.map((row) => member(row, "label")).slice(0, expect.labels!.length));
  const times = (values: Json[]) => values.map((value) => (typeof value === "string" ? Date.parse(value) : value));
  add("dates", expect.dates && times(expect.dates), () =>
    times(list.map((row) => member(row, "date")).slice(0, expect.dates!.length)),
  );
  add("results_summary", expect.results_summary, () => summaryOf(results));
  add("rows", expect.rows, () => results);
  add("rows_length", expect.rows_length, () => list.length);
  if (expect.rows !== undefined && expect.rows.length !== list.length) {
    found.push({ path: "rows.length", expected: expect.rows.length, got: list.length });
  }
  add("hogql", expect.printed_hogql, () => answer.hogql);
  return found;
}

function checkError(expected: string, reply: Reply): Difference[] {
  const got = `${reply.status} ${reply.text.slice(0, 300)}`;
  if (reply.status !== 400) return [{ path: "status", expected: 400, got }];
  if (expected === "validation") return [];
  const detail = isObject(reply.json) ? reply.json.detail : null;
  return detail === expected ? [] : [{ path: "detail", expected, got: detail }];
}

function member(value: Json | undefined, key: string): Json {
  return isObject(value) ? (value[key] ?? null) : null;
}

function sortBy(results: Json, field: string): Json {
  if (!Array.isArray(results)) return results;
  return results.toSorted((a, b) => {
    const [x, y] = [member(a, field) ?? 0, member(b, field) ?? 0];
    return x < y ? -1 : x > y ? 1 : 0;
  });
}

/** Every expected result fits one of its own. */
function checkUnordered(expected: Json[], list: Json[]): Difference[] {
  const left = [...list];
  const found: Difference[] = [];
  for (const [i, wanted] of expected.entries()) {
    const at = left.findIndex((got) => differences(wanted, got, "", QUERY_RULES).length === 0);
    if (at < 0) found.push({ path: `results_unordered[${i}]`, expected: wanted, got: left });
    else left.splice(at, 1);
  }
  return found;
}

/** Rows may be shorter than the matrix: what has not happened yet counts as 0. */
function checkRetention(expected: number[][], list: Json[]): Difference[] {
  const got = list.map((row, i) => {
    const values = member(row, "values");
    const counts = Array.isArray(values) ? values.map((value) => member(value, "count")) : [];
    while (counts.length < (expected[i]?.length ?? 0)) counts.push(0);
    return counts;
  });
  const isSame = got.length === expected.length && expected.every((row, i) => Bun.deepEquals(row, got[i]));
  return isSame ? [] : [{ path: "retention_counts", expected, got }];
}

/** Of a funnel's trend: one object for each time. */
function summaryOf(results: Json): Json {
  const series = Array.isArray(results) ? results[0] : results;
  const list = (key: string): Json[] => {
    const values = member(series, key);
    return Array.isArray(values) ? values : [];
  };
  return list("data").map((rate, i) => ({
    conversion_rate: rate,
    reached_from_step_count: list("reached_from_step_count")[i] ?? null,
    reached_to_step_count: list("reached_to_step_count")[i] ?? null,
    timestamp: list("days")[i] ?? null,
  }));
}

/** `results[0].data[1]`; `.length` of lists. */
function valueAt(root: Json, path: string): Json | undefined {
  return path
    .split(/[.[\]]+/)
    .filter(Boolean)
    .reduce<Json | undefined>((value, key) => {
      if (Array.isArray(value)) return key === "length" ? value.length : value[Number(key)];
      return isObject(value) ? value[key] : undefined;
    }, root);
}
