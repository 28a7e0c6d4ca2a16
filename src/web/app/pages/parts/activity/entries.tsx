import type { Activity } from "../../../api/schema.ts";
import { cut } from "../../../question/seen.ts";
import { Ago } from "../../../ui/ago.tsx";
import { Changes } from "./changes.tsx";
import { pageOf } from "./links.ts";
import { deedWords, kindLabel, personOf } from "./words.ts";

interface EntriesProps {
  entries: readonly Activity[];
  /** All are about one record, which the page is about: it is not named. */
  isOfOne?: boolean;
  /** Names of projects, where entries are of several. */
  projects?: ReadonlyMap<number, string>;
}

/** Deeds of members, and what they changed. */
export function Entries({ entries, isOfOne = false, projects }: EntriesProps) {
  return (
    <ol class="activity">
      {entries.map((entry) => (
        <li key={entry.id}>
          <div class="activity-line">
            <p>
              <strong dir="auto">{cut(personOf(entry))}</strong> {deedWords(entry.activity)} {kindLabel(entry.scope)}
              {!isOfOne && <Name entry={entry} />}
              {projects !== undefined && entry.team_id !== null && (
                <span class="pale" dir="auto">
                  {" "}
                  in {cut(projects.get(entry.team_id) ?? `project ${entry.team_id}`)}
                </span>
              )}
            </p>
            <Ago at={entry.created_at} />
          </div>
          {entry.detail.changes !== null && <Changes changes={entry.detail.changes} />}
        </li>
      ))}
    </ol>
  );
}

function Name({ entry }: { entry: Activity }) {
  const { name } = entry.detail;
  const page = pageOf(entry);
  const text = cut(name || "without a name");
  return (
    <>
      {" "}
      {page === null ? (
        <span class={name ? undefined : "pale"} dir="auto">
          {text}
        </span>
      ) : (
        <a href={page} dir="auto">
          {text}
        </a>
      )}
    </>
  );
}
