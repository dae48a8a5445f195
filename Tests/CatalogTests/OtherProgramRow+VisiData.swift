/// The page for people who come from VisiData.
extension OtherProgramRow {
  static let films = """
    title,year,director,gross
    Up,2009,Pete Docter,735.1
    Brave,2012,Mark Andrews,540.4
    Cars,2006,John Lasseter,462
    Cars 2,2011,John Lasseter,562.1
    Soul,2020,Pete Docter,

    """

  static let visidata: [(title: String, rows: [OtherProgramRow])] = [
    (
      "Move",
      [
        .keys("arrows, `h` `j` `k` `l`", "the same", "j l", shows: ">   Brave", "row 2"),
        .keys("`G`, `gg`; `gj`, `gk`", "`G`, `g`", "G", shows: ">   Soul"),
        .keys("`gh`, `gl`", "`0`, `$`", "$", shows: "gross 4/4"),
        .keys("`zr` 2, which counts from 0", "`3G`", "3G", shows: ">   Cars"),
        .keys("`c` gross", "`'` gross `Enter`", "' gross Enter", shows: "gross 4/4"),
        .keys(
          "`g/` docter, `n` `N`",
          "`/` docter `Enter`, `n` `N`",
          "/ docter Enter n",
          shows: ">   Soul",
          "2 of 2"
        ),
        .keys("`^G`", "`^G`", "C-g", shows: "row 1 of 5"),
      ]
    ),
    (
      "Sort, select, filter",
      [
        .keys(
          "`[`, `]`",
          "`s`, and `s` again for descending",
          "l s s",
          shows: ">   Soul",
          "sort -year"
        ),
        .keys("`z[`, `z]`", "`S`", "l l s h S", shows: "sort director,year"),
        .keys(
          "`s`, `u`, `t`",
          "`Space`",
          "Space j Space",
          shows: " *  Up",
          " *  Cars",
          "2 marked"
        ),
        .keys("`gs`, `gu`", "`*`, `Esc`", "*", shows: "5 marked"),
        .keys("`zs`, `gzs`", "`V` at one end, `V` at the other", "V j j V", shows: "3 marked"),
        .keys("`g|` docter", "`f` docter `Enter` `*`", "f docter Enter *", shows: "2 marked"),
        .keys(
          "`z|` year > 2010, then `\"`",
          "`f` year>2010 `Enter`",
          "f year>2010 Enter",
          shows: "3 of 5"
        ),
        .keys(
          "`,` in a cell, then `\"`",
          "`F`, go to the value, `Enter`",
          "l l F j Enter",
          shows: "2 of 5",
          "director = \"Pete Docter\""
        ),
        .keys(
          "`z|` gross is None, then `\"`",
          "`f` gross is null `Enter`",
          "f \"gross is null\" Enter",
          shows: "1 of 5"
        ),
        .keys("`gt`, then `\"`", "`!` after a filter", "f year>2010 Enter !", shows: "2 of 5"),
      ]
    ),
    (
      "Columns",
      [
        .keys(
          "`-`, `gv`",
          "`-`, `:column reset`",
          "l - \":column reset\" Enter",
          shows: "title   year  director"
        ),
        .keys("`C`", "`C`", "C", shows: "columns · 4 of 4 shown"),
        .keys("`H`, `L`", "`<`, `>`", "l >", shows: "title   director       year"),
        .keys("`!`, to keep it at the left", "`|`", "l |", shows: "year stays on the screen"),
        .keys("`_`", "`_`", "_", shows: "title"),
        .keys(
          "`=` gross * 2",
          "`=` double = gross * 2",
          "= \"double = gross * 2\" Enter",
          shows: "= double"
        ),
        .keys(
          "`^` released",
          "`:field rename films year released`",
          "\":field rename films year released\" Enter",
          shows: "title   released"
        ),
        .keys(
          "`~` `#` `%` `@`",
          "types are found; `:field type films year text` changes one",
          "\":field type films year text\" Enter y",
          shows: "1 schema change"
        ),
      ]
    ),
    (
      "Count and sum up",
      [
        .keys("`F`", "`F`", "l l F", shows: "director: 3 values in 5 records"),
        .keys(
          "`F`, then `Enter`",
          "`F`, then `Enter`; `Esc` shows all again",
          "l l F Enter Escape",
          shows: "5 of 5"
        ),
        .keys(
          "`F`, to see the rows by value",
          "`b`, and `Z` folds all",
          "l l b Z",
          shows: "▸ Pete Docter (2)"
        ),
        .keys(
          "`I`",
          "`:stats gross`, for each column",
          "\":stats gross\" Enter",
          shows: "mean        574.9"
        ),
        .keys(
          "`+` sum, then `F`",
          "`:list by director fields director, sum(gross) as total`",
          "\":list by director fields director, sum(gross) as total\" Enter",
          shows: "1024.1"
        ),
        .line(
          "vd a.csv b.csv, S, then & with a key",
          "films.csv",
          "-e",
          "list join studios.csv as s by director fields title, s.studio",
          shows: "Soul\tPixar"
        ),
      ]
    ),
    (
      "Edit",
      [
        .keys(
          "`e`",
          "`e`, or `c` to start with an empty cell",
          "l c 2010 Enter",
          shows: "2010",
          "unsaved: 1 changed"
        ),
        .keys(
          "`ge`",
          "`c` while records are marked",
          "Space j Space l c 2000 Enter",
          shows: "set year of 2 records"
        ),
        .keys(
          "`g=` year + 1",
          "`*` `:set year:=year + 1`, look, `Enter`",
          "* \":set year:=year + 1\" Enter Enter",
          shows: "set year of 5 records",
          "2021"
        ),
        .keys(
          "`g*` Cars/Autos",
          "`*` `:replace title /Cars/Autos/`, look, `Enter`",
          "* \":replace title /Cars/Autos/\" Enter Enter",
          shows: "Autos 2"
        ),
        .keys("`a`", "`a`, in a form", "a New Enter", shows: "New", "unsaved: 1 new"),
        .keys(
          "`d`, `gd`",
          "`d`, of all marked ones if there are any",
          "d",
          shows: "deleted 1 (Up)",
          "unsaved: 1 deleted"
        ),
        .keys("`U`, `R`", "`u`, `^R`; `u` undoes saves, too", "d u C-r", shows: "redone"),
        .keys("`zY`, `gY`", "`y`", "y", shows: "copied \"Up\""),
        .keys(
          "`^S`",
          "`w`, into the file that is open",
          "l c 2010 Enter w",
          shows: "saved: 0 inserted, 1 updated"
        ),
        .keys(
          "`^S` out.json",
          "`:export out.json`, or `:saveas` for a store to go on with",
          "\":export out.json\" Enter",
          shows: "exported 5 records to out.json"
        ),
        .keys(
          "`D`, the list of commands",
          "`D`, the unsaved changes with old and new values; `H`, the history",
          "l c 2010 Enter D",
          shows: "2009",
          "2010"
        ),
      ]
    ),
    (
      "The program",
      [
        .keys("`^H`", "`?`", "?", shows: "search in all fields as you type"),
        .keys(
          "`Space` and a long name",
          "`^P` and any part of a name, or `:`",
          "C-p freq",
          shows: ":freq"
        ),
        .keys(
          "`Enter`, to open the row",
          "`Enter`, as a form; `v` shows it next to the table",
          "Enter",
          shows: "films 1",
          "Pete Docter"
        ),
        .keys(
          "`m`, keys, `m` and a key",
          "`Q`, keys, `Q`; then `@`, or `2@`",
          "Q j Q 2@",
          shows: "played 1 key 2 times"
        ),
        .keys(
          "`q`, `gq`",
          "`Esc` closes what is on top, `q` quits and asks if changes are unsaved",
          "l l F Escape",
          shows: "5 of 5"
        ),
        .line("vd -b films.csv -o out.json", "films.csv", "--to", "out.json"),
        .line(
          "vd --delimiter ';' films.csv",
          "films.csv",
          "--read",
          "delimiter=;",
          "-e",
          "count",
          shows: "5\n"
        ),
        .line(
          "vd -p log.vdj films.csv",
          "films.csv",
          "-e",
          "set where year < 2010 year:=year + 1",
          "-e",
          "save",
          shows: "2 updated"
        ),
      ]
    ),
  ]
}
