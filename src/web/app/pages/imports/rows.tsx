import { formatCount, formatNumber } from "../../format/number.ts";
import { type Figures, type Import, REASONS } from "./figures.ts";

/** What became of the rows. */
export function FigureList({ figures, state }: { figures: Figures; state: Import["state"] }) {
  const isDone = state === "completed";
  const entries: [string, number, string][] = [
    ["Rows read", figures.rows, ""],
    ["Added", figures.stored, isDone ? "" : "of all that was sent to the project meanwhile"],
    ["Already there", figures.duplicates, isDone ? "" : "likewise"],
    ["Rejected", figures.rejected, ""],
    [
      "Left out",
      figures.leftOut,
      figures.leftOutBy.map(([reason, rows]) => `${formatNumber(rows)} ${reason}`).join(", "),
    ],
    ["Persons", figures.persons, ""],
    ["Missing", figures.missing, ""],
    ["Made", figures.made, "links and groups, beside the rows"],
  ];
  const always = new Set(["Rows read", "Added", "Already there", "Rejected"]);
  return (
    <section aria-label="Rows">
      <dl class="import-figures">
        {entries
          .filter(([name, number]) => always.has(name) || number > 0)
          .map(([name, number, note]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{formatNumber(number)}</dd>
              {note !== "" && (
                <dd class="quiet" dir="auto" title={note}>
                  {note}
                </dd>
              )}
            </div>
          ))}
      </dl>
      {isDone && figures.isWhole !== null && (
        <p class={figures.isWhole ? "quiet" : "state-words bad"}>
          {figures.isWhole
            ? "Each row is accounted for: every event that was sent was looked up."
            : "Not every row is accounted for. The same command again sends what is missing."}
        </p>
      )}
    </section>
  );
}

/** Why rows were rejected, with examples; nothing where none was. */
export function Rejected({ figures: { rejects, rejected } }: { figures: Figures }) {
  if (rejected === 0) return null;
  return (
    <section aria-labelledby="import-rejects" class="stack">
      <h2 id="import-rejects">Rejected rows</h2>
      <p>
        All of them are in <code>rejects.jsonl</code> in the folder of the import, on the machine of its importer. Mend
        them there and import that file with the same source.
      </p>
      {rejects.map(({ reason, rows, examples }) => (
        <details key={reason} class="reject" open={rejects.length <= 3}>
          <summary>
            <span dir="auto">{REASONS[reason] ?? reason}</span> <span class="quiet">{formatCount(rows, "row")}</span>
          </summary>
          <ul>
            {examples.map(({ place, message, raw }) => (
              <li key={place}>
                <code dir="auto">{place}</code> <span dir="auto">{message}</span>
                {raw !== "" && (
                  <pre dir="auto" class="reject-row">
                    {raw}
                  </pre>
                )}
              </li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
