import type { Screen } from '../shell';

/** A terminal that is drawn over in place. */
interface LiveScreen {
  /** Lines that are not wider than the terminal; those that don't fit below one another are left out. */
  draw(lines: readonly string[]): void;
  /** Leaves what was drawn last, and gives the cursor back. */
  end(): void;
}

export function createLiveScreen(screen: Screen): LiveScreen {
  let drawn = 0;
  let isOpen = false;
  return {
    draw(lines) {
      const shown = lines.slice(0, Math.max(1, screen.height() - 1));
      const hide = isOpen ? '' : '\u001b[?25l';
      isOpen = true;
      const up = drawn === 0 ? '' : `\u001b[${drawn}A`;
      // Each line clears the rest of its row, and the last one what is below.
      screen.write(`${hide}${up}${shown.map((line) => `\r\u001b[2K${line}\n`).join('')}\u001b[J`);
      drawn = shown.length;
    },
    end() {
      if (isOpen) screen.write('\u001b[?25h');
      isOpen = false;
      drawn = 0;
    },
  };
}
