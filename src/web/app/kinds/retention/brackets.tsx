import { DraftText } from "../parts/draftText.tsx";
import { bracketsOf } from "./bracketTexts.ts";
import type { RetentionFilter } from "./node.ts";

interface BracketsProps {
  filter: RetentionFilter;
  onChange(change: Partial<RetentionFilter>): void;
}

/** Columns of several intervals each: "1, 3, 7". */
export function Brackets({ filter, onChange }: BracketsProps) {
  const unit = (filter.period ?? "Day").toLowerCase();
  return (
    <DraftText
      label={`Columns of so many ${unit}s`}
      value={(filter.retentionCustomBrackets ?? []).join(", ")}
      placeholder={`One ${unit} each; or 1, 3, 7`}
      onChange={(text) => {
        const sizes = bracketsOf(text);
        onChange({ retentionCustomBrackets: sizes.length > 0 ? sizes : undefined });
      }}
    />
  );
}
