import { useZone } from "../../session/environment.ts";
import { ExternalText } from "../../ui/externalText.tsx";
import type { Actor } from "./actor.ts";
import { timeText } from "./matchedEvents.tsx";

/** All that is known of a person or a group. */
export function Properties({ projectId, actor }: { projectId: number; actor: Actor }) {
  const zone = useZone(projectId);
  const { properties, distinct_ids: ids = [], created_at: createdAt } = actor;
  if (properties === undefined) {
    return (
      <p class="person-note">
        Nothing is stored of this person: its events came without a profile. Its id is {actor.id}.
      </p>
    );
  }
  const entries = Object.entries(properties).sort(
    ([one], [other]) => rankOf(one) - rankOf(other) || one.localeCompare(other),
  );
  return (
    <dl class="person-properties">
      {createdAt && <Property name="First seen" value={timeText(createdAt, zone)} />}
      {ids.length > 0 && <Property name={ids.length === 1 ? "Distinct id" : "Distinct ids"} value={ids.join(", ")} />}
      {entries.map(([key, value]) => (
        <Property key={key} name={key} value={textOf(value)} />
      ))}
    </dl>
  );
}

/** What people set themselves comes before what SDKs send. */
const rankOf = (key: string): number => (key.startsWith("$") ? 1 : 0);

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function Property({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt dir="auto" title={name}>
        {name}
      </dt>
      <dd dir="auto" title={value}>
        <ExternalText text={value} />
      </dd>
    </>
  );
}
