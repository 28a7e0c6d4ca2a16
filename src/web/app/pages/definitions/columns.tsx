import { formatNumber } from "../../format/number.ts";
import { cut } from "../../question/seen.ts";
import { Ago } from "../../ui/ago.tsx";
import type { Sort } from "../../ui/sortRows.ts";
import type { Column } from "../../ui/table.tsx";
import type { Definition, PropertyType } from "./load.ts";
import { pagePath, type Subject } from "./subject.ts";

/** What a property holds, in words. */
export const TYPE_LABELS: readonly { value: NonNullable<PropertyType> | "unknown"; label: string }[] = [
  { value: "unknown", label: "Not known" },
  { value: "String", label: "Text" },
  { value: "Numeric", label: "Number" },
  { value: "Boolean", label: "Yes or no" },
  { value: "DateTime", label: "Time" },
  { value: "Duration", label: "Duration" },
];

const typeLabel = (type: PropertyType): string => TYPE_LABELS.find(({ value }) => value === (type ?? "unknown"))!.label;

/** How lists are sorted at first: by how often a name is used. */
export const firstSort = ({ kind }: Subject): Sort => ({ column: kind === "event" ? "volume" : "uses", isDown: true });

/** The columns of a list of events, or of properties. */
export function columnsOf(projectId: number, { kind }: Subject): readonly Column<Definition>[] {
  return [nameColumn(projectId), ABOUT, ...(kind === "event" ? [SEEN, VOLUME] : [TYPE]), USES];
}

const nameColumn = (projectId: number): Column<Definition> => ({
  key: "name",
  label: "Name",
  sortBy: ({ label }) => label.toLowerCase(),
  cell: ({ id, subject, key, label, verified, hidden }) => (
    <span class="definition-name">
      <a href={pagePath(projectId, subject.kind, id)} class={hidden ? "pale" : undefined} dir="auto" title={cut(key)}>
        {cut(label)}
      </a>
      {label !== key && (
        <span class="definition-key" dir="auto">
          {cut(key)}
        </span>
      )}
      {verified && <span class="badge">Verified</span>}
      {hidden && <span class="badge">Hidden</span>}
    </span>
  ),
});

const ABOUT: Column<Definition> = {
  key: "about",
  label: "Description and tags",
  cell: ({ description, tags }) => (
    <span class="definition-about" dir="auto" title={description}>
      {cut(description.split("\n", 1)[0]!)}
      {tags.map((tag) => (
        <span key={tag} class="tag cut" dir="auto">
          {tag}
        </span>
      ))}
    </span>
  ),
};

const SEEN: Column<Definition> = {
  key: "seen",
  label: "Last seen",
  sortBy: ({ lastSeenAt }) => (lastSeenAt === null ? null : Date.parse(lastSeenAt)),
  cell: ({ lastSeenAt }) => (lastSeenAt === null ? <span class="pale">never</span> : <Ago at={lastSeenAt} />),
};

const VOLUME: Column<Definition> = {
  key: "volume",
  label: "Events in 30 days",
  isNumber: true,
  sortBy: ({ volume }) => volume,
  cell: ({ volume }) => (volume === null ? "–" : formatNumber(volume)),
};

const TYPE: Column<Definition> = {
  key: "type",
  label: "Type",
  sortBy: ({ propertyType }) => (propertyType === null ? null : typeLabel(propertyType)),
  cell: ({ propertyType }) =>
    propertyType === null ? <span class="pale">not known</span> : <span>{typeLabel(propertyType)}</span>,
};

const USES: Column<Definition> = {
  key: "uses",
  label: "Insights",
  isNumber: true,
  sortBy: ({ uses }) => uses,
  cell: ({ uses }) => (uses === null ? "–" : formatNumber(uses)),
};
