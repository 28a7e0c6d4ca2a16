import { useId, useState } from "preact/hooks";
import { EventPicker } from "../../question/eventPicker.tsx";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Select } from "../../ui/field.tsx";
import { PickClick } from "./pickClick.tsx";
import { AUTOCAPTURE, MATCHINGS, type Matching, type Step, withEvent } from "./steps.ts";

interface StepCardProps {
  projectId: number;
  step: Step;
  /** From 0. */
  index: number;
  onChange(step: Step): void;
  /** Absent: it is the only one. */
  onRemove?(): void;
}

const LISTS = { noActions: true };
const TEXT_MAX = 1_000;

/** One way in which an event can match an action: all that is said must hold. */
export function StepCard({ projectId, step, index, onChange, onRemove }: StepCardProps) {
  const [isPicking, setPicking] = useState(false);
  const put = (part: Partial<Step>) => onChange({ ...step, ...part });
  const isClick = step.event === AUTOCAPTURE;
  return (
    <fieldset class="step-card">
      <legend class="unseen">Step {index + 1}</legend>
      <div class="step-head">
        <EventPicker
          projectId={projectId}
          label={`Event of step ${index + 1}`}
          lists={LISTS}
          value={{ kind: "EventsNode", event: step.event }}
          onChange={({ event }) => onChange(withEvent(step, event ?? null))}
        />
        {isClick && (
          <Button icon="search" onClick={() => setPicking(true)}>
            Pick from recent clicks
          </Button>
        )}
        {onRemove !== undefined && (
          <IconButton label={`Remove step ${index + 1}`} icon="trash" class="pale" onClick={onRemove} />
        )}
      </div>
      {isClick && (
        <>
          <StepText label="Text" step={step} name="text" matching="text_matching" onChange={put} />
          <StepText label="Link" step={step} name="href" matching="href_matching" onChange={put} />
          <StepText label="Selector" step={step} name="selector" placeholder={SELECTOR} isCode onChange={put} />
        </>
      )}
      <StepText label="URL of the page" step={step} name="url" matching="url_matching" onChange={put} />
      {step.properties === null || Array.isArray(step.properties) ? (
        <PropertyFilters
          projectId={projectId}
          value={step.properties ?? []}
          isFlat
          isAnd
          events={step.event === null ? [] : [step.event]}
          onChange={(group) => put({ properties: group?.values.flatMap(({ values }) => values) ?? null })}
        />
      ) : (
        <p class="pale">It has nested filters, which are kept as they are.</p>
      )}
      {isPicking && <PickClick projectId={projectId} onPick={put} onClose={() => setPicking(false)} />}
    </fieldset>
  );
}

const SELECTOR = 'button.primary, #buy, [data-attr="buy"], nav > a';

interface StepTextProps {
  label: string;
  step: Step;
  name: "text" | "href" | "selector" | "url";
  matching?: "text_matching" | "href_matching" | "url_matching";
  placeholder?: string;
  isCode?: boolean;
  onChange(part: Partial<Step>): void;
}

function StepText({ label, step, name, matching, placeholder, isCode = false, onChange }: StepTextProps) {
  const id = useId();
  // A URL is looked for in the address, other texts must be the same, where nothing is said.
  const chosen: Matching = (matching && step[matching]) ?? (name === "url" ? "contains" : "exact");
  return (
    <div class="step-text">
      <label for={id}>{label}</label>
      {matching === undefined ? (
        <span class="pale">meets</span>
      ) : (
        <Select
          label={`${label}: how it is compared`}
          value={chosen}
          choices={MATCHINGS}
          onChange={(next) => onChange({ [matching]: next })}
        />
      )}
      <input
        id={id}
        class={isCode ? "input mono" : "input"}
        maxLength={TEXT_MAX}
        spellcheck={false}
        dir="auto"
        placeholder={placeholder ?? "Anything"}
        value={step[name] ?? ""}
        onInput={(event) => {
          const text = event.currentTarget.value;
          onChange({ [name]: text === "" ? null : text });
        }}
      />
    </div>
  );
}
