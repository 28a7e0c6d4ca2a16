import type { Checked } from "./notices.ts";
import { placeWords } from "./notices.ts";

interface ProblemsProps {
  checked: Checked | null;
  /** The text as it stands: what is said of another is not shown. */
  query: string;
  onShow(from: number, to: number): void;
}

/** What is wrong with the text, and where: read out when typing pauses, and led to by a click. */
export function Problems({ checked, query, onShow }: ProblemsProps) {
  const marks = checked === null || checked.text !== query ? [] : [...checked.errors, ...checked.warnings];
  return (
    <div role="status">
      {marks.length > 0 && (
        <ul class="sql-problems" aria-label="Problems">
          {marks.map(({ from, to, message }) => (
            <li key={`${from} ${message}`}>
              <button type="button" class="link" onClick={() => onShow(from, to)}>
                {placeWords(query, from)}
              </button>{" "}
              <span dir="auto">{message}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
