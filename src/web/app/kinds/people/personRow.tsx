import { useId, useState } from "preact/hooks";
import type { QueryNode } from "../../api/node.ts";
import { formatNumber } from "../../format/number.ts";
import { Icon } from "../../ui/icon.tsx";
import { Appearances } from "../retention/appearances.tsx";
import { type Actor, detailOf, distinctIdOf, nameOf, pageOf } from "./actor.ts";
import { MatchedEvents } from "./matchedEvents.tsx";
import { hasOf } from "./peopleQuery.ts";
import { Properties } from "./properties.tsx";

interface PersonRowProps {
  projectId: number;
  actor: Actor;
  events: number | null;
  source: QueryNode;
}

/** A person or a group; opened it shows properties and the events that count. */
export function PersonRow({ projectId, actor, events, source }: PersonRowProps) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const name = nameOf(actor);
  const detail = detailOf(actor);
  return (
    <li class="person">
      <button
        type="button"
        class="person-head"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "chevronDown" : "chevronRight"} />
        <span class="person-names">
          <span class="person-name" dir="auto" title={name}>
            {name}
          </span>
          <span class="person-detail" dir="auto" title={detail}>
            {detail}
          </span>
        </span>
        {events !== null && (
          <span class="person-events">
            {formatNumber(events)} {events === 1 ? "event" : "events"}
          </span>
        )}
      </button>
      {isOpen && (
        <div id={id} class="person-body">
          {hasOf(source).events && <MatchedEvents projectId={projectId} actor={actor} source={source} count={events} />}
          {isOfRetention(source) && (
            <Appearances
              projectId={projectId}
              id={actor.id}
              search={distinctIdOf(actor) ?? actor.group_key ?? ""}
              source={source}
            />
          )}
          <p>
            <a href={pageOf(projectId, actor)}>
              {actor.group_key === undefined ? "Open the person" : "Open the group"}
            </a>
          </p>
          <Properties projectId={projectId} actor={actor} />
        </div>
      )}
    </li>
  );
}

const isOfRetention = ({ source }: QueryNode): boolean => (source as QueryNode | undefined)?.kind === "RetentionQuery";
