import { Component, type ComponentChildren } from "preact";
import { Button } from "../ui/button.tsx";
import { Empty, messageOf } from "../ui/notice.tsx";

interface BoundaryProps {
  /** The address; another one is tried anew. */
  place: string;
  children: ComponentChildren;
}

interface BoundaryState {
  error: unknown;
}

/** A defect of one page says so, and leaves the rest standing. */
export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { error: undefined };

  static override getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override componentDidUpdate(before: BoundaryProps) {
    // What the defect left behind goes with the page that had it.
    if (this.state.error !== undefined && before.place !== this.props.place) window.location.reload();
  }

  override render({ children }: BoundaryProps, { error }: BoundaryState) {
    return error === undefined ? children : <Broken error={error} />;
  }
}

/** What stands in place of a page that cannot be shown. */
export function Broken({ error }: { error: unknown }) {
  return (
    <main class="page">
      <Empty isPage title="This page cannot be shown">
        <p class="broken-words">{messageOf(error)}</p>
        <p class="row">
          <Button look="primary" onClick={() => window.location.reload()}>
            Load it again
          </Button>
          <a class="button" href="/">
            Go home
          </a>
        </p>
      </Empty>
    </main>
  );
}
