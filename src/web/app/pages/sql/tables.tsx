import { useMemo, useState } from "preact/hooks";
import { TextField } from "../../ui/field.tsx";
import { Problem, Skeleton } from "../../ui/notice.tsx";
import { type Known, type SqlProperty, written } from "./known.ts";
import type { Names } from "./useKnown.ts";

interface TablesProps {
  names: Names;
  /** Writes a name where the cursor is. */
  onInsert(text: string): void;
}

interface Group {
  key: string;
  label: string;
  fields: readonly { label: string; type: string; text: string }[];
}

/** More of a list is found by typing. */
const SHOWN_MAX = 100;

/** The tables and properties of the project with their types. */
export function Tables({ names, onInsert }: TablesProps) {
  const { known, isLoading, error, again } = names;
  const [text, setText] = useState("");
  const words = text.trim().toLowerCase();
  const groups = useMemo(() => groupsOf(known), [known]);
  const found = groups.flatMap((group) => {
    const fields = group.fields.filter(({ label }) => label.toLowerCase().includes(words));
    return words === "" || fields.length > 0 || group.label.toLowerCase().includes(words) ? [{ ...group, fields }] : [];
  });
  return (
    <aside class="sql-tables" aria-label="Tables and properties">
      <TextField
        label="Find a name"
        type="search"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      {error !== undefined && <Problem error={error} onRetry={again} />}
      {isLoading && error === undefined && groups.length === 0 && <Skeleton heightPx={160} />}
      {words !== "" && found.length === 0 && !isLoading && error === undefined && (
        <p class="pale" role="status">
          Nothing is found
        </p>
      )}
      {found.map((group) => (
        <details key={group.key} open={words !== ""}>
          <summary>
            {group.label} <span class="pale">{group.fields.length}</span>
          </summary>
          <ul>
            {group.fields.slice(0, SHOWN_MAX).map((field) => (
              <li key={field.label}>
                <button type="button" title={`Write ${field.text}`} onClick={() => onInsert(field.text)}>
                  <bdi class="cut">{field.label}</bdi>
                  <span class="pale">{field.type}</span>
                </button>
              </li>
            ))}
            {group.fields.length > SHOWN_MAX && <li class="pale">More are found by typing</li>}
          </ul>
        </details>
      ))}
    </aside>
  );
}

function groupsOf({ tables, properties }: Known): Group[] {
  const owned = (label: string, path: string, list: readonly SqlProperty[]): Group[] =>
    list.length === 0
      ? []
      : [
          {
            key: path,
            label,
            fields: list.map(({ key, type }) => ({ label: key, type: type ?? "", text: `${path}.${written(key)}` })),
          },
        ];
  return [
    ...Object.values(tables).map(({ name, fields }) => ({
      key: name,
      label: name,
      fields: Object.values(fields).map((field) => ({
        label: field.name,
        type: field.table ?? field.type,
        text: field.hogql_value,
      })),
    })),
    ...owned("Event properties", "properties", properties.event),
    ...owned("Person properties", "person.properties", properties.person),
    ...Object.entries(properties.group).flatMap(([index, list]) =>
      owned(`Properties of group type ${index}`, `group_${index}.properties`, list),
    ),
  ];
}
