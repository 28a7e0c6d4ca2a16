import type { Json } from "../../types/mod.ts";
import { isObject } from "./fields.ts";

/** Spreadsheets run a cell that begins so, in quotes or not; the last four are read as the first four. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/**
 * Rows under their header, as RFC 4180 has it. Booleans read True and False, null is empty, lists and objects are JSON. A
 * text that a spreadsheet would run has an apostrophe in front, unless it is a number.
 */
export function csvText(header: readonly string[], rows: readonly (readonly Json[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Json): string {
  const text = textOf(value);
  const harmless = typeof value === "string" && FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

function textOf(value: Json): string {
  if (value === null) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** An answer in CSV; `fileName` is what a browser saves it as. */
export function csvReply(text: string, o: { fileName?: string; status?: number } = {}): Response {
  const headers: Record<string, string> = { "Content-Type": "text/csv; charset=utf-8" };
  if (o.fileName !== undefined) headers["Content-Disposition"] = disposition(o.fileName);
  return new Response(text, { status: o.status ?? 200, headers });
}

/** RFC 6266: headers are ASCII; a name with more has a second form, and the first one for clients that do not know it. */
function disposition(fileName: string): string {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\]/gu, "_");
  if (plain === fileName) return `attachment; filename="${plain}"`;
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/**
 * A JSON answer as CSV: the entries of a list one row each, anything else one row. Members of nested values are
 * columns named by their path (`created_by.email`, `result.0.count`), in alphabetical order. What is not JSON, has no
 * body or tells of an error stays as it is.
 */
export async function toCsv(response: Response): Promise<Response> {
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  if (!response.ok || !isJson) return response;
  const body = (await response.json()) as Json;
  const listed = isObject(body) && Array.isArray(body.results) ? body.results : body;
  const rows = (Array.isArray(listed) ? listed : [listed]).map((row) => flatten(row));
  const header = [...new Set(rows.flatMap((row) => [...row.keys()]))].sort();
  const cells = rows.map((row) => header.map((name) => row.get(name) ?? null));
  return csvReply(csvText(header, cells), { status: response.status });
}

/** The leaves of a value by their path; an empty list or object is an empty cell. Bodies have a limited depth. */
function flatten(value: Json, path = "", into = new Map<string, Json>()): Map<string, Json> {
  if (typeof value !== "object" || value === null) return into.set(path === "" ? "value" : path, value);
  const members = Object.entries(value);
  if (members.length === 0 && path !== "") into.set(path, null);
  for (const [name, member] of members) flatten(member, path === "" ? name : `${path}.${name}`, into);
  return into;
}
