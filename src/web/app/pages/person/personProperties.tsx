import { useState } from "preact/hooks";
import { useData } from "../../api/cache.ts";
import { eventLabel, propertyLabel } from "../../question/names.ts";
import { cut } from "../../question/seen.ts";
import { Ago } from "../../ui/ago.tsx";
import { EventDialog } from "../parts/events/eventDialog.tsx";
import { PropertyTable } from "../parts/properties/propertyTable.tsx";
import type { Person } from "./load.ts";
import { loadSources } from "./loadSources.ts";
import { originOf, type Told } from "./origins.ts";

const HOW = { set: "Set by", once: "Set once by", event: "Seen with" } as const;
const INITIAL = "$initial_";

/** The properties of a person, each with the event that it came from, where that is known. */
export function PersonProperties({ projectId, person }: { projectId: number; person: Person }) {
  const { data } = useData(`origins/${projectId}/${person.uuid}`, () => loadSources(projectId, person.uuid));
  const [open, setOpen] = useState<Told | null>(null);
  const origin = (key: string) => {
    if (data === undefined) return null;
    const known = originOf(key, person.properties[key], data);
    if (known !== null) {
      const { how, from } = known;
      return (
        <>
          {HOW[how]}{" "}
          <button type="button" class="text-button" dir="auto" onClick={() => setOpen(from)}>
            {cut(eventLabel(from.event))}
          </button>
          , <Ago at={from.at} />
        </>
      );
    }
    if (key.startsWith(INITIAL)) return `First value of ${lower(propertyLabel(`$${key.slice(INITIAL.length)}`))}`;
    return <span class="pale">not known</span>;
  };
  return (
    <>
      <PropertyTable label="Properties of this person" type="person" properties={person.properties} originOf={origin} />
      {open !== null && <EventDialog projectId={projectId} event={open} onClose={() => setOpen(null)} />}
    </>
  );
}

const lower = (text: string): string => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
