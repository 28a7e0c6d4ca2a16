import { useData } from "../../../api/cache.ts";
import { eventPage } from "../../../kinds/people/actor.ts";
import { eventLabel, propertyLabel } from "../../../question/names.ts";
import { cut } from "../../../question/seen.ts";
import { Ago } from "../../../ui/ago.tsx";
import { PropertyTable } from "../properties/propertyTable.tsx";
import { loadSources } from "./loadSources.ts";
import { originOf, type Told } from "./origins.ts";

const HOW = { set: "Set by", once: "Set once by", event: "Seen with" } as const;
const INITIAL = "$initial_";

interface PersonPropertiesProps {
  projectId: number;
  person: { uuid: string; properties: Readonly<Record<string, unknown>> };
  /** Shows the event that a value came from; absent: a link leads to it. */
  onOpen?(event: Told): void;
}

/** The properties of a person, each with the event that it came from, where that is known. */
export function PersonProperties({ projectId, person, onOpen }: PersonPropertiesProps) {
  const { data } = useData(`origins/${projectId}/${person.uuid}`, () => loadSources(projectId, person.uuid));
  const origin = (key: string) => {
    if (data === undefined) return null;
    const known = originOf(key, person.properties[key], data);
    if (known !== null) {
      const { how, from } = known;
      const name = cut(eventLabel(from.event));
      return (
        <>
          {HOW[how]}{" "}
          {onOpen === undefined ? (
            <a href={eventPage(projectId, from.uuid, from.at)} dir="auto">
              {name}
            </a>
          ) : (
            <button type="button" class="text-button" dir="auto" onClick={() => onOpen(from)}>
              {name}
            </button>
          )}
          , <Ago at={from.at} />
        </>
      );
    }
    if (key.startsWith(INITIAL)) return `First value of ${lower(propertyLabel(`$${key.slice(INITIAL.length)}`))}`;
    return <span class="pale">not known</span>;
  };
  return (
    <PropertyTable label="Properties of this person" type="person" properties={person.properties} originOf={origin} />
  );
}

const lower = (text: string): string => (/^[A-Z]{2}/.test(text) ? text : text.charAt(0).toLowerCase() + text.slice(1));
