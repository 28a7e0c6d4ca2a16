import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface SectionProps {
  title: string;
  children: ComponentChildren;
  /** A sentence on what it does. */
  hint?: string;
}

/** A part of a form with its name above it. */
export function Section({ title, hint, children }: SectionProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid in all browsers
    <div class="kind-section" role="group" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
      {hint !== undefined && <p class="kind-hint">{hint}</p>}
    </div>
  );
}

/** Fields beside each other that wrap where there is little room. */
export function Fields({ children }: { children: ComponentChildren }) {
  return <div class="kind-fields">{children}</div>;
}

interface MoreProps {
  title: string;
  /** Open from the start, since something in it is set. */
  isSet: boolean;
  children: ComponentChildren;
}

/** What few need, folded away until it is asked for or set. */
export function More({ title, isSet, children }: MoreProps) {
  return (
    <details class="kind-more" open={isSet}>
      <summary>{title}</summary>
      <div class="kind-more-body">{children}</div>
    </details>
  );
}
