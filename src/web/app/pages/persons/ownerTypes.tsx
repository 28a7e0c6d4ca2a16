import { unloadedGroups } from "../../question/choices.tsx";
import { useGroupTypeList } from "../../question/definitions.ts";
import { plural } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { hrefOf } from "../../shell/entries.ts";

/** Leads from the persons to cohorts and each type of groups, and back. `current`: the number of a type; null: persons. */
export function OwnerTypes({ projectId, current }: { projectId: number; current: number | "cohorts" | null }) {
  const list = useGroupTypeList(projectId);
  const places = [
    { index: null, label: "Persons", path: "persons" },
    { index: "cohorts", label: "Cohorts", path: "cohorts" },
    ...(list.data ?? []).map(({ index, name }) => ({
      index,
      label: firstUpper(plural(cut(name))),
      path: `groups/${index}`,
    })),
  ];
  return (
    <>
      <nav class="owner-types" aria-label="Persons, cohorts and groups">
        {places.map(({ index, label, path }) => (
          <a key={path} href={hrefOf(projectId, path)} aria-current={index === current ? "page" : undefined} dir="auto">
            {label}
          </a>
        ))}
      </nav>
      {unloadedGroups(projectId, list)}
    </>
  );
}

const firstUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
