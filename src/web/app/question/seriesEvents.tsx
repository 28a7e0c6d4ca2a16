import { IconButton } from "../ui/button.tsx";
import { entityLabel, withEntity, withNode } from "./entities.ts";
import { AddEvent, EventPicker } from "./eventPicker.tsx";
import { cut } from "./seen.ts";
import type { EntityNode } from "./types.ts";

interface SeriesEventsProps {
  projectId: number;
  entity: EntityNode;
  mark: string;
  onSet(entity: EntityNode): void;
  isCombining: boolean;
  onPick(picked: EntityNode): void;
  onCancel(): void;
}

/** The event of a series, or the events that count as one. */
export function SeriesEvents({ projectId, entity, mark, onSet, isCombining, onPick, onCancel }: SeriesEventsProps) {
  const nodes = entity.kind === "GroupNode" ? (entity.nodes ?? []) : null;
  const word = entity.operator === "AND" ? "and" : "or";
  const another = (
    <AddEvent
      projectId={projectId}
      label={`Another event of ${mark}`}
      isOpenAtFirst={isCombining}
      onPick={onPick}
      onClose={onCancel}
    >
      or
    </AddEvent>
  );
  if (nodes === null) {
    return (
      <>
        <EventPicker projectId={projectId} label={`Event of ${mark}`} value={entity} onChange={onSet} />
        {isCombining && another}
      </>
    );
  }
  return (
    <>
      {nodes.map((node, index) => (
        <span key={index} class="alternative">
          {index > 0 && <span class="joint-word">{word}</span>}
          <EventPicker
            projectId={projectId}
            label={`Event ${index + 1} of ${mark}`}
            value={node}
            onChange={(next) => onSet(withNode(entity, index, withEntity(node, next)))}
          />
          <IconButton
            label={`Remove ${cut(entityLabel(node))} from ${mark}`}
            icon="close"
            onClick={() => onSet(withNode(entity, index, null))}
          />
        </span>
      ))}
      {another}
    </>
  );
}
