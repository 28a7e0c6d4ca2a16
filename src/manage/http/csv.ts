import type { Json } from "../../types/mod.ts";
import { isObject } from "./fields.ts";

/** Rows under their header, as RFC 4180 has it. Booleans read True and False, null is empty. */
export function csvText(header: readonly string[], rows: readonly (readonly Json[])[]): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(value: Json): string {
  const text =
    value === null
      ? ""
      : typeof value === "boolean"
        ? value
          ? "True"
          : "False"
        : typeof value === "object"
          ? JSON.stringify(value)
          : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** An answer in CSV; `fileName` is what a browser saves it as. */
export function csvReply(text: string, o: { fileName?: string; status?: number } = {}): Response {
  const headers: Record<string, string> = { "Content-Type": "text/csv; charset=utf-8" };
  if (o.fileName !== undefined) {
    headers["Content-Disposition"] = `attachment; filename="${o.fileName.replace(/["\r\n]/g, "")}"`;
  }
  return new Response(text, { status: o.status ?? 200, headers });
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
