import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { formatNumber } from "../../../format/number.ts";
import { propertyLabel } from "../../../question/names.ts";
import { fold } from "../../../question/search.ts";
import { cut } from "../../../question/seen.ts";
import { Button } from "../../../ui/button.tsx";
import { ExternalText } from "../../../ui/externalText.tsx";
import { Empty } from "../../../ui/notice.tsx";

type Values = Readonly<Record<string, unknown>>;

interface PropertyTableProps {
  /** Whose they are: "Properties of this event". */
  label: string;
  type: "event" | "person" | "group";
  properties: Values;
  /** Where a value came from; absent: nothing is said of that. */
  originOf?(key: string): ComponentChildren;
}

/** More than these have a search. */
const SEARCH_FROM = 12;

/** Properties with their values, those that people set before those of SDKs; strangers sent all of it. */
export function PropertyTable({ label, type, properties, originOf }: PropertyTableProps) {
  const [search, setSearch] = useState("");
  const all = useMemo(() => linesOf(properties, type), [properties, type]);
  const wanted = fold(search.trim());
  const shown = wanted === "" ? all : all.filter(({ found }) => found.includes(wanted));
  if (all.length === 0) return <Empty title="No properties" />;
  return (
    <div class="properties">
      {all.length > SEARCH_FROM && (
        <input
          class="input"
          type="search"
          aria-label={`Search: ${label}`}
          placeholder={`Search ${formatNumber(all.length)} properties`}
          value={search}
          onInput={(event) => setSearch(event.currentTarget.value)}
        />
      )}
      {shown.length === 0 && <Empty title="No property is found" />}
      {shown.length > 0 && (
        <table class="property-table" aria-label={label}>
          <thead class="unseen">
            <tr>
              <th scope="col">Property</th>
              <th scope="col">Value</th>
              {originOf !== undefined && <th scope="col">From</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ key, name }) => (
              <tr key={key}>
                <th scope="row" dir="auto" title={cut(key)}>
                  {name}
                </th>
                <td>
                  <Value value={properties[key]} />
                </td>
                {originOf !== undefined && <td class="property-origin">{originOf(key)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

interface Line {
  key: string;
  name: string;
  /** What a search looks through. */
  found: string;
}

function linesOf(properties: Values, type: PropertyTableProps["type"]): readonly Line[] {
  const lines = Object.keys(properties).map((key) => {
    const name = cut(propertyLabel(key, type));
    return { key, name, found: `${fold(name)} ${fold(key)} ${fold(textOf(properties[key]))}` };
  });
  const rank = ({ key }: Line) => (key.startsWith("$") ? 1 : 0);
  return lines.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** Longer values show their beginning first. */
const SHORT = 240;

function Value({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const isTree = typeof value === "object" && value !== null;
  const text = textOf(value, isWhole);
  if (text.length <= SHORT && !isTree) {
    return (
      <span class={typeof value === "string" ? "property-value" : "property-value mono"} dir="auto">
        {value === "" ? <span class="pale">(empty)</span> : <ExternalText text={text} />}
      </span>
    );
  }
  const isCut = text.length > SHORT;
  return (
    <>
      <span class={isTree ? "property-value mono" : "property-value"} dir="auto">
        {isWhole || !isCut ? text : `${text.slice(0, SHORT)}…`}
      </span>
      {(isCut || isWhole) && (
        <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${formatNumber(text.length)} characters`}
        </Button>
      )}
    </>
  );
}

function textOf(value: unknown, isPretty = false): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, isPretty ? 2 : undefined) ?? "");
}
