// Topics on the notation of values, predicates and results.

extension HelpTopic {
  static let language: [HelpTopic] = [
    HelpTopic(
      "predicates", "the language of predicates",
      seeAlso: ["query", "predicate check", "explain", "fields"],
      text: """
        Comparisons: == != < <= > >= BETWEEN {a, b}, IN {a, b}, BEGINSWITH, ENDSWITH, CONTAINS, \
        LIKE with * and ?, MATCHES with a regular expression, each with options: [c] ignores case, \
        [d] diacritics; joined by AND, OR, NOT and parentheses; TRUEPREDICATE and FALSEPREDICATE; \
        ANY, ALL and NONE list == x test a list's members; nil tests for a missing value.
        Literals: 'text', 12, 1.5, TRUE, nil, ref('name'), date('2024-05-01T12:00:00Z'), \
        location(51.5, -0.12). %@ and %K are filled by --argument, $x by --variable.
        Paths: artist.name follows a reference, artists.name a list of them.
        Arithmetic: + - * / ** and functions such as sum, min, max, average, median, sqrt, floor, \
        abs, uppercase, length; CAST(x, 'NSDate') is seconds since 2001; TERNARY(p, a, b).
        Lists: x[FIRST], x[LAST], x[0], x.@count, x.@sum, x.@min, x.@max, x.@avg; SUBQUERY(list, \
        $x, p) returns the members for which p is true. now() is the time of the query.
        Words: SELF CONTAINS 'blue sea' finds either word in any text field, ignoring case and \
        diacritics; ALL tokenize('blue sea', 'Cdl') IN allTokens requires both.
        Places: distanceToLocation:fromLocation:(field, location(51.5, -0.12)) < 1000 is in \
        metres.
        CloudKit accepts a subset: 'ckdb predicate check' reports what it would reject, and why. \
        Such a query runs with a warning, and fails with --strict. CloudKit also rejects queries \
        without declared indexes: 'ckdb schema index' declares them.
        Keys of every record: recordName, creationDate, modificationDate, creatorUserRecordID, \
        lastModifiedUserRecordID, parent, share. A field whose name is a reserved word is \
        written #name.
        """),
    HelpTopic(
      "fields", "field assignments and types",
      seeAlso: ["record save", "import", "formats"],
      text: """
        A field assignment is one word:
          title='The Hay Wain'              by the field's type; a new field becomes STRING
          year:=1821 width:=185.4           JSON: INT64, DOUBLE
          done:=true note:=null             true is INT64 1; null removes the value
          'tags:=["sea","storm"]'           a list
          taken:timestamp=2024-05-01        a named type, see below
          place:location=51.5,-0.12         latitude,longitude in degrees
          artist:reference=turner           a reference; turner,delete is DELETE_SELF
          data:bytes=aGVsbG8=               Base64; data:bytes@FILE reads a file
          image@photo.jpg                   an asset from a file; - is standard input
          secret:encrypted<string>=text     an encrypted field

        Types: string, int64, double, timestamp, bytes, location, reference, asset, list<TYPE>, \
        encrypted<TYPE>. Values are read by the field's type: numbers exactly, dates as ISO 8601 \
        or milliseconds since 1970, lists as JSON arrays. A date without a time zone is UTC, a \
        date without a time is midnight. A value that does not fit is an error, and the record is \
        not saved.

        An import reads JSON values the same way: the schema's type, or for a new field the type \
        of its first value. Dates are never guessed from text; --type FIELD=TIMESTAMP, or \
        {"value": ..., "type": "TIMESTAMP"}, names the type.
        """),
    HelpTopic(
      "formats", "output formats",
      seeAlso: ["query", "export", "scripting"],
      text: """
        table fits the terminal; line has one field per line; json is one array, jsonl one object \
        per line, page an object with records and cursor; wire is the record dictionary of \
        CloudKit Web Services; csv and tsv have a header line; names prints record names, raw \
        the bare value of one --fields name. The default is table on a terminal and tsv \
        in a pipe.

        Results go to standard output, everything else to standard error. Machine formats never \
        depend on the terminal: INT64 is exact, a DOUBLE has a fraction or an exponent, dates are \
        ISO 8601 in UTC, bytes are Base64, the order of keys is fixed. On a terminal, tables show \
        dates in local time (--dates), and references by name.
        """),
  ]
}
