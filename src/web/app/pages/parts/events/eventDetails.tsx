import { useState } from "preact/hooks";
import { formatDateTime } from "../../../format/date.ts";
import { formatCount } from "../../../format/number.ts";
import { nameOf, personPage } from "../../../kinds/people/actor.ts";
import { cut } from "../../../question/seen.ts";
import { useZone } from "../../../session/environment.ts";
import { Button } from "../../../ui/button.tsx";
import { CopyButton } from "../../../ui/copy.tsx";
import { PropertyTable } from "../properties/propertyTable.tsx";
import { timeOf } from "./days.ts";
import type { EventPerson, WholeEvent } from "./loadEvent.ts";
import { PersonProperties } from "./personProperties.tsx";
import { propertyOrigin } from "./propertyOrigin.ts";

/** All that is stored of an event: when, who, and every property. */
export function EventDetails({ projectId, event }: { projectId: number; event: WholeEvent }) {
  const zone = useZone(projectId);
  const { at, receivedAt, distinctId, person, elementsChain } = event;
  const name =
    person === null ? distinctId : nameOf({ id: person.id, properties: person.properties, distinct_ids: [distinctId] });
  const moment = (time: string) => `${formatDateTime(time, zone).replace(/, .*$/, "")}, ${timeOf(time, zone)}`;
  return (
    <div class="event-details">
      <dl class="fact-list">
        <div>
          <dt>Person</dt>
          <dd>
            <a href={personPage(projectId, distinctId)} dir="auto" title={cut(name)}>
              {cut(name)}
            </a>
            {person === null && <span class="pale"> without a profile</span>}
          </dd>
        </div>
        <div>
          <dt>Time</dt>
          <dd>
            <time dateTime={at}>{moment(at)}</time>
          </dd>
        </div>
        <div>
          <dt>Accepted</dt>
          <dd>
            <time dateTime={receivedAt}>{moment(receivedAt)}</time>
          </dd>
        </div>
        <div>
          <dt>Distinct ID</dt>
          <dd dir="auto">{cut(distinctId)}</dd>
        </div>
        <div>
          <dt>Event</dt>
          <dd dir="auto" title={cut(event.event)}>
            {cut(event.event)}
          </dd>
        </div>
        {elementsChain !== "" && (
          <div>
            <dt>Elements</dt>
            <dd class="mono" dir="auto">
              {cut(elementsChain)}
            </dd>
          </div>
        )}
      </dl>
      {person !== null && <PersonNow projectId={projectId} person={person} />}
      <PropertyTable
        label="Properties of this event"
        type="event"
        properties={event.properties}
        originOf={(key) => cut(propertyOrigin(key, event.event, event.properties))}
      />
      <p class="row">
        <CopyButton label="Copy as JSON" text={jsonOf(event)} />
      </p>
    </div>
  );
}

/** What is known of the person today, and from where. It is asked for when somebody wants it. */
function PersonNow({ projectId, person: { id: uuid, properties } }: { projectId: number; person: EventPerson }) {
  const [isOpen, setOpen] = useState(false);
  const count = Object.keys(properties).length;
  if (count === 0) return null;
  return (
    <div class="event-person">
      <Button
        look="quiet"
        icon={isOpen ? "chevronDown" : "chevronRight"}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        The person now: {formatCount(count, "property", "properties")}
      </Button>
      {isOpen && <PersonProperties projectId={projectId} person={{ uuid, properties }} />}
    </div>
  );
}

const jsonOf = ({ uuid, event, at, distinctId, properties }: WholeEvent): string =>
  JSON.stringify({ uuid, event, timestamp: at, distinct_id: distinctId, properties }, null, 2);
