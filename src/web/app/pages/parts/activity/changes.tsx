import { useState } from "preact/hooks";
import type { Change } from "../../../api/schema.ts";
import { formatCount } from "../../../format/number.ts";
import { Button } from "../../../ui/button.tsx";
import { type Difference, differences, textOf } from "./differences.ts";
import { inWords } from "./words.ts";

/** More are behind a button. */
const SHOWN = 4;
/** Longer values show their beginning first. */
const SHORT = 160;

/** What was changed from what to what, in the smallest parts. */
export function Changes({ changes }: { changes: readonly Change[] }) {
  const [isWhole, setWhole] = useState(false);
  const lines = changes.flatMap(linesOf);
  const shown = isWhole ? lines : lines.slice(0, SHOWN);
  return (
    <>
      <ul class="activity-changes">
        {shown.map(({ field, path, before, after, isSecret }) => (
          <li key={[field, ...path].join("/")}>
            <span class="activity-field" dir="auto">
              {[inWords(field), ...path].join(" › ")}
            </span>
            {isSecret ? (
              <span class="pale">changed; its value is not kept</span>
            ) : (
              <>
                <Value value={before} />
                <span aria-hidden="true">→</span>
                <span class="unseen">became</span>
                <Value value={after} />
              </>
            )}
          </li>
        ))}
      </ul>
      {lines.length > SHOWN && (
        <Button look="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show less" : `Show all ${formatCount(lines.length, "change")}`}
        </Button>
      )}
    </>
  );
}

interface Line extends Difference {
  field: string;
  isSecret: boolean;
}

function linesOf({ field, before, after }: Change): readonly Line[] {
  const isSecret = before === null && after === null;
  if (isSecret) return [{ field, path: [], before, after, isSecret }];
  return differences(before, after).map((one) => ({ field, isSecret, ...one }));
}

function Value({ value }: { value: unknown }) {
  const [isWhole, setWhole] = useState(false);
  const text = textOf(value);
  if (text.length <= SHORT) {
    return (
      <span class={text === "nothing" ? "pale" : "activity-value"} dir="auto">
        {text}
      </span>
    );
  }
  return (
    <span class="activity-value" dir="auto">
      {isWhole ? text : `${text.slice(0, SHORT)}…`}{" "}
      <button type="button" class="text-button" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
        {isWhole ? "less" : "all of it"}
      </button>
    </span>
  );
}
