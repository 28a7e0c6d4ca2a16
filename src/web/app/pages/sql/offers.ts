import { type Known, type SqlProperty, written } from "./known.ts";
import type { Place } from "./place.ts";

/** A name that can stand at a place. */
export interface Offer {
  label: string;
  /** What is written, where that is another text. */
  text?: string;
  kind: "table" | "field" | "property" | "event" | "placeholder";
  /** Its type: "datetime". */
  detail?: string;
}

/** The names that can stand at a place of a text with these tables. Words and functions are the same everywhere. */
export function offersAt(
  place: Place,
  known: Known,
  tables: ReadonlyMap<string, string>,
  o: { variables: readonly string[]; columns: readonly string[] },
): Offer[] {
  if (place.kind === "none") return [];
  if (place.kind === "event")
    return known.events.map((label) => ({ label, text: label.replaceAll("'", "\\'"), kind: "event" }));
  if (place.kind === "placeholder") return placeholders(o.variables);
  if (place.isTable) return tableOffers(known);
  const [first, ...rest] = place.path;
  if (first === undefined) {
    return [...fieldsOfAll(known, tables), ...aliases(tables), ...columns(o.columns)];
  }
  const named = tables.get(first);
  if (named !== undefined) return inside(named, rest, known);
  const all = tables.size === 0 ? ["events"] : [...new Set(tables.values())];
  return all.flatMap((table) => inside(table, place.path, known));
}

const placeholders = (variables: readonly string[]): Offer[] =>
  ["filters", "filters.dateRange.from", "filters.dateRange.to", ...variables.map((name) => `variables.${name}`)].map(
    (label) => ({ label, kind: "placeholder" }),
  );

const tableOffers = ({ tables }: Known): Offer[] =>
  Object.keys(tables).map((label) => ({ label, kind: "table", detail: "table" }));

const aliases = (tables: ReadonlyMap<string, string>): Offer[] =>
  [...tables].map(([label, table]) => ({ label, kind: "table", detail: label === table ? "table" : table }));

const columns = (names: readonly string[]): Offer[] =>
  names.map((label) => ({ label, text: written(label), kind: "field", detail: "alias" }));

/** The fields of all tables of the text, each name once; those of events where there is none yet. */
function fieldsOfAll(known: Known, tables: ReadonlyMap<string, string>): Offer[] {
  const all = tables.size === 0 ? ["events"] : [...new Set(tables.values())];
  const offers = new Map(all.flatMap((table) => inside(table, [], known)).map((offer) => [offer.label, offer]));
  return [...offers.values()];
}

/** What follows a table's name and the names behind that. */
function inside(table: string, path: readonly string[], known: Known): Offer[] {
  const fields = known.tables[table]?.fields;
  if (fields === undefined) return [];
  const [first, ...rest] = path;
  if (first === undefined) {
    return Object.values(fields).map(({ name, hogql_value: text, type, table: other }) => ({
      label: name,
      text,
      kind: "field",
      detail: other ?? type,
    }));
  }
  const field = fields[first];
  if (field === undefined) return [];
  if (field.table === undefined) {
    return field.type === "json" && rest.length === 0 ? properties(owner(table, null), known) : [];
  }
  if (rest[0] === "properties" && rest.length === 1) return properties(owner(field.table, first), known);
  if (rest.length > 0) return inside(field.table, rest, known);
  const types = known.tables[field.table]?.fields ?? {};
  return (field.fields ?? []).map((name) => ({
    label: name,
    text: written(name),
    kind: "field",
    detail: types[name]?.table ?? types[name]?.type,
  }));
}

type Owner = "event" | "person" | number | null;

/** Whose properties a table has; of groups the name of the field tells the type. */
function owner(table: string, field: string | null): Owner {
  if (table === "events") return "event";
  if (table === "persons") return "person";
  const group = /^group_(\d)$/.exec(field ?? "")?.[1];
  return group === undefined ? null : Number(group);
}

function properties(of: Owner, known: Known): Offer[] {
  const list: readonly SqlProperty[] | undefined =
    of === null ? [] : typeof of === "number" ? known.properties.group[of] : known.properties[of];
  return (list ?? []).map(({ key, type }) => ({
    label: key,
    text: written(key),
    kind: "property",
    detail: type ?? undefined,
  }));
}
