import { useId, useLayoutEffect, useRef } from "preact/hooks";
import type { Kind } from "../../kinds/kind.ts";
import { KINDS } from "../../kinds/mod.ts";
import { Icon } from "../../ui/icon.tsx";

interface KindChoiceProps {
  value: string;
  onChange(kind: Kind): void;
}

/** Which kind of question. */
export function KindChoice({ value, onChange }: KindChoiceProps) {
  const name = useId();
  const all = useRef<HTMLFieldSetElement>(null);
  // In a narrow window they scroll sideways.
  useLayoutEffect(
    () => all.current?.querySelector(".chosen")?.scrollIntoView({ block: "nearest", inline: "nearest" }),
    [value],
  );
  if (KINDS.length < 2) return null;
  return (
    <fieldset ref={all} class="kind-choice">
      <legend class="unseen">Kind of question</legend>
      {KINDS.map((kind) => (
        <label key={kind.name} class={kind.name === value ? "chosen" : undefined} title={kind.hint}>
          <input
            type="radio"
            class="unseen"
            name={name}
            checked={kind.name === value}
            onChange={() => onChange(kind)}
          />
          <Icon name={kind.icon} />
          {kind.title}
        </label>
      ))}
    </fieldset>
  );
}
