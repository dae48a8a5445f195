// The minimum of a full-screen program: open ncurses, show one line, respond to keys. Our start is compared with it.
#include <curses.h>
#include <locale.h>

int main(void) {
  setlocale(LC_ALL, "");
  initscr();
  noecho();
  keypad(stdscr, TRUE);
  mvaddstr(0, 0, "Finding Nemo");
  for (int pressed = 0, key = 0; key != 'q'; key = getch()) {
    mvprintw(1, 0, "%d", pressed++);
    refresh();
  }
  endwin();
  return 0;
}
