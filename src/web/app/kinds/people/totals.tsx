import { isOther } from "../../format/name.ts";
import { formatNumber } from "../../format/number.ts";
import { Button } from "../../ui/button.tsx";
import type { Drill } from "../drill.ts";
import type { People } from "./usePeople.ts";

interface TotalsProps {
  drill: Drill;
  people: People & { again(): void };
  isSearched: boolean;
}

/** How many there are, beside the number that was clicked: where they differ both are shown. */
export function Totals({ drill, people, isSearched }: TotalsProps) {
  const { count, events, groupType } = people;
  if (count === null) return <p class="people-totals">{people.error === undefined ? "Counting…" : ""}</p>;
  const of = groupType === null ? ["person", "people"] : ["group", "groups"];
  const parts = [`${formatNumber(count)} ${count === 1 ? of[0] : of[1]}`];
  if (events !== null) parts.push(`${formatNumber(events)} ${events === 1 ? "event" : "events"}`);
  const clicked = drill.count ?? drill.events ?? null;
  const listed = drill.count === null || drill.count === undefined ? events : count;
  const differs = !isSearched && clicked !== null && listed !== null && Math.abs(clicked - listed) > 1e-9;
  return (
    <div class="people-totals">
      <p>
        {isSearched && "Found: "}
        {parts.join(" · ")}
      </p>
      {differs && (
        <div class="people-differs">
          <p>
            The chart says {formatNumber(clicked)}, this list has {formatNumber(listed)}. {reasonOf(drill)}
          </p>
          <Button onClick={people.again}>Load again</Button>
        </div>
      )}
    </div>
  );
}

function reasonOf({ source }: Drill): string {
  return isOther(source.breakdown)
    ? "“Other” adds the numbers of several values, and one person can have more than one of them."
    : "Events came, or people were merged, after one of the two was calculated.";
}
