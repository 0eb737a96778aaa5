"""Every form in which a corpus comes gives the same documents, however it is cut."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from probeta.builders.pairs.corpora import chosen_corpora, read_corpora
from probeta.builders.pairs.readers import Document, Refused, plan, read, shard_hash
from probeta.errors import DataError, UsageError

DOCUMENTS = [("uno", ["Primer párrafo.", "Segundo, con ñ."]), ("dos", ["Otro documento."])]


def read_all(path: Path, shard_bytes: int = 8_000_000) -> list[Document | Refused]:
    return [item for shard in plan("c", path, shard_bytes=shard_bytes).shards for item in read(shard)]


def plain(items: list[Document | Refused]) -> list[tuple[str, list[str]]]:
    assert all(isinstance(item, Document) for item in items)
    return [(item.id, list(item.paragraphs)) for item in items if isinstance(item, Document)]


def lines(text: bool = False) -> bytes:
    records = [
        {"id": i, "text": "\n\n".join(p)} if text else {"id": i, "paragraphs": p} for i, p in DOCUMENTS
    ]
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()


def compress_zst(data: bytes) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as out:
        out.write(data)
    return bytes(sink.getvalue())


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize(
    ("ending", "compress"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", compress_zst),
    ],
)
def test_json_lines(tmp_path: Path, text: bool, ending: str, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / f"c.jsonl{ending}"
    path.write_bytes(compress(lines(text)))
    assert plain(read_all(path)) == DOCUMENTS


def test_parquet_and_datasets(tmp_path: Path) -> None:
    import datasets
    import pyarrow as pa
    import pyarrow.parquet as pq

    records = [{"id": i, "paragraphs": p} for i, p in DOCUMENTS]
    pq.write_table(pa.Table.from_pylist(records), tmp_path / "c.parquet", row_group_size=1)
    assert plain(read_all(tmp_path / "c.parquet", shard_bytes=1)) == DOCUMENTS
    assert len(plan("c", tmp_path / "c.parquet", shard_bytes=1).shards) == 2
    datasets.Dataset.from_list(records).save_to_disk(str(tmp_path / "saved"))
    assert plain(read_all(tmp_path / "saved")) == DOCUMENTS
    datasets.DatasetDict({"train": datasets.Dataset.from_list(records)}).save_to_disk(str(tmp_path / "split"))
    assert plain(read_all(tmp_path / "split")) == DOCUMENTS


def test_text_folder_names_documents_by_their_path(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "dos.txt").write_text("Otro documento.", encoding="utf-8")
    (tmp_path / "uno.txt.gz").write_bytes(gzip.compress("Primer párrafo.\n\nSegundo, con ñ.".encode()))
    (tmp_path / "LEEME.pdf").write_bytes(b"%PDF")
    assert sorted(plain(read_all(tmp_path))) == [("sub/dos", ["Otro documento."]), DOCUMENTS[0]]
    assert plan("c", tmp_path).ignored == ["LEEME.pdf"]


def test_tei_keeps_running_prose_only(tmp_path: Path) -> None:
    (tmp_path / "uno.xml").write_text(
        """<?xml version="1.0" encoding="UTF-8"?>
<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><p>Cabecera.</p></teiHeader><text><body>
<head>Título</head>
<p>Primer <emph>pá<foreign xml:lang="la">rra</foreign>fo</emph><note><p>Nota al pie.</p></note>, sigue<pb n="2"/>tras la pá<lb break="no"/>gina.</p>
<lg><l>Un verso</l></lg>
<p>Segundo,
   con ñ.</p></body></text></TEI>""",
        encoding="utf-8",
    )
    assert plain(read_all(tmp_path)) == [
        ("uno", ["Primer párrafo, sigue tras la página.", "Segundo, con ñ."])
    ]


def test_hidden_files_and_folders_are_no_part_of_a_corpus(tmp_path: Path) -> None:
    for name in (".git/COMMIT.txt", ".ipynb_checkpoints/uno.txt", "sub/.uno.txt.swp", "sub/._dos.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("Nada.", encoding="utf-8")
    (tmp_path / "sub" / "UNO.TXT").write_text("Otro documento.", encoding="utf-8")
    assert plain(read_all(tmp_path)) == [("sub/UNO", ["Otro documento."])]
    assert plan("c", tmp_path).ignored == []
    # A corpus may stand below a hidden folder all the same.
    assert plain(read_all(tmp_path / ".git")) == [("COMMIT", ["Nada."])]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig", "latin-1"])
def test_json_lines_of_any_encoding(tmp_path: Path, encoding: str) -> None:
    # U+010A holds the byte of a line's end, U+2028 is one only to some.
    text = lines().decode() + '{"id": "tres", "paragraphs": ["Línea"]}\n'
    if encoding != "latin-1":
        text = text.replace("Línea", "L\u2028ín\u010aea")
    path = tmp_path / "c.jsonl"
    path.write_bytes(text.encode(encoding))
    *first, last = read_all(path, shard_bytes=40)
    assert plain(first) == DOCUMENTS
    assert isinstance(last, Document)
    assert list(last.paragraphs) == ["Línea" if encoding == "latin-1" else "L ín\u010aea"]
    assert last.encoding == ("utf-8" if encoding == "utf-8-sig" else encoding)


def test_json_lines_that_belie_their_first_bytes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes('{"id": "a", "text": "x"}\n'.encode("utf-16") + b"\x00\xd8\x00")
    *good, bad = read_all(tmp_path / "c.jsonl")
    assert plain(good) == [("a", ["x"])]
    assert isinstance(bad, Refused)
    assert (bad.fault.code, bad.fault.file, bad.fault.row) == ("encoding", "c.jsonl", 2)


@pytest.mark.parametrize("shard_bytes", [1, 37, 60, 64, 1000])
def test_any_cut_of_json_lines_gives_each_document_once(tmp_path: Path, shard_bytes: int) -> None:
    path = tmp_path / "c.jsonl"
    expected = [(f"d{n}", [f"Párrafo {'ñ' * (n % 7 + 1)} {n}."]) for n in range(50)]
    path.write_text(
        "".join(json.dumps({"id": i, "paragraphs": p}, ensure_ascii=False) + "\n" for i, p in expected),
        encoding="utf-8",
    )
    assert plain(read_all(path, shard_bytes)) == expected


@pytest.mark.parametrize(
    ("ending", "compress"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress), (".zst", compress_zst)],
)
@pytest.mark.parametrize("shard_bytes", [1, 90, 1000])
def test_any_cut_of_a_compressed_file_gives_each_document_once(
    tmp_path: Path, ending: str, compress: Callable[[bytes], bytes], shard_bytes: int
) -> None:
    path = tmp_path / f"c.jsonl{ending}"
    expected = [(f"d{n}", [f"Párrafo {'ñ' * (n % 7 + 1)} {n}."]) for n in range(50)]
    data = "".join(json.dumps({"id": i, "paragraphs": p}) + "\n" for i, p in expected)
    path.write_bytes(compress(data.encode()))
    # However large, it is cut into a few parts: each is unpacked from the file's beginning.
    shards = plan("c", path, shard_bytes=shard_bytes).shards
    assert len(shards) == (1 if path.stat().st_size <= shard_bytes else min(8, -(-len(data) // shard_bytes)))
    assert plain(read_all(path, shard_bytes)) == expected


def test_rows_of_faults_are_the_files_own(tmp_path: Path) -> None:
    # Blank lines count; the file is cut at many places, and the shards are read in any order.
    good = json.dumps({"id": "a", "text": "Un texto de alguna longitud."}).encode()
    rows = [good, b"", b"{", good, good, b"[1]", good, b"", b"", b'{"id": 3}', good, b"}"] * 40
    expected = [at + 1 for at, row in enumerate(rows) if row not in (good, b"")]
    data = b"\n".join(rows) + b"\n"
    (tmp_path / "c.jsonl").write_bytes(data)
    (tmp_path / "c.jsonl.gz").write_bytes(gzip.compress(data))
    for name, cuts in (("c.jsonl", 20), ("c.jsonl.gz", 4)):
        shards = plan("c", tmp_path / name, shard_bytes=100).shards
        assert len(shards) >= cuts
        for ordered in (shards, shards[::-1]):
            found = [item.fault.row for one in ordered for item in read(one) if isinstance(item, Refused)]
            assert sorted(found, key=str) == sorted(expected, key=str)


def test_rows_of_parquet_are_the_files_own(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": str(n), "text": None if n in (4, 7) else "Un texto."} for n in range(10)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet", row_group_size=3)
    found = [item.fault.row for item in read_all(tmp_path / "c.parquet", 1) if isinstance(item, Refused)]
    assert found == [5, 8]


def test_a_shard_hash_changes_with_the_bytes_and_not_with_the_folder(tmp_path: Path) -> None:
    hashes = []
    for name, text in (("a", "Uno."), ("b", "Uno."), ("c", "Dos.")):
        (tmp_path / name / "corpus").mkdir(parents=True)
        (tmp_path / name / "corpus" / "x.txt").write_text(text, encoding="utf-8")
        hashes += [shard_hash(shard) for shard in plan("c", tmp_path / name / "corpus").shards]
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_row_group_is_hashed_by_its_own_bytes(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    hashes = []
    for last in ("Otro.", "Otra."):
        rows = [{"id": str(n), "text": text} for n, text in enumerate(["Uno.", "Dos.", last])]
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet", row_group_size=1)
        hashes.append(
            [shard_hash(shard) for shard in plan("c", tmp_path / "c.parquet", shard_bytes=1).shards]
        )
    assert [old == new for old, new in zip(*hashes, strict=True)] == [True, True, False]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", "json"),
        (b"[1]", "record"),
        (b'{"text": "x"}', "record"),
        (b'{"id": "a"}', "record"),
        (b'{"id": "a", "paragraphs": ["x", 3]}', "record"),
        ('{"id": "a", "text": "En sÃ\u00adntesis"}'.encode(), "mojibake"),
    ],
)
def test_bad_records_are_refused_with_their_line(tmp_path: Path, line: bytes, code: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(lines() + line + b"\n")
    *good, bad = read_all(path)
    assert plain(good) == DOCUMENTS
    assert isinstance(bad, Refused)
    assert (bad.fault.code, bad.fault.file, bad.fault.row) == (code, "c.jsonl", 3)


def test_files_that_break_off_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines() * 2000)[:-200])
    (tmp_path / "b.xml").write_text("<TEI><text><p>Uno", encoding="utf-8")
    (tmp_path / "c.txt.gz").write_bytes(b"no gzip at all")
    # A block of the third kind, which does not exist: the head has ten bytes.
    whole = gzip.compress(lines())
    (tmp_path / "d.jsonl.gz").write_bytes(whole[:10] + b"\xff" + whole[11:])
    (tmp_path / "e.txt.gz").write_bytes(whole[:10] + b"\xff" + whole[11:])
    faults = [item.fault for item in read_all(tmp_path) if isinstance(item, Refused)]
    assert sorted(fault.code for fault in faults) == [*["compression"] * 4, "xml"]
    assert [fault.row for fault in faults if fault.file == "d.jsonl.gz"] == [1]


def test_a_path_without_a_corpus_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.pdf").write_bytes(b"")
    for path in (tmp_path, tmp_path / "x.pdf"):
        with pytest.raises(UsageError, match="holds no text"):
            plan("c", path)


TABLE = "corpus,genre,domain,licence,split,cap,path\nesbooks__x,books,novels,CC0,test,100,\nown,news,,,all,,own.jsonl\n"


def test_paths_meet_rows_by_name(tmp_path: Path) -> None:
    (tmp_path / "corpora.csv").write_text(TABLE, encoding="utf-8")
    for name in ("own.jsonl", "esbooks__x.jsonl.gz", "otro.txt"):
        (tmp_path / name).write_bytes(b"")
    declared = read_corpora([(tmp_path / "corpora.csv", "corpora.csv")])
    assert [(c.name, c.genre) for c in chosen_corpora(declared, [])] == [("own", "news")]
    chosen = chosen_corpora(declared, [str(tmp_path / "esbooks__x.jsonl.gz"), str(tmp_path / "otro.txt")])
    assert [(c.name, c.genre, c.split, c.cap) for c in chosen] == [
        ("esbooks__x", "books", "test", 100),
        ("otro", None, "all", None),
    ]
    (named,) = chosen_corpora(declared, [f"esbooks__x={tmp_path / 'otro.txt'}"])
    assert (named.name, named.path) == ("esbooks__x", tmp_path / "otro.txt")
    with pytest.raises(UsageError, match="did you mean esbooks__x"):
        chosen_corpora(declared, [f"esbook__x={tmp_path / 'otro.txt'}"])
    with pytest.raises(UsageError, match="no such file"):
        chosen_corpora(declared, [str(tmp_path / "nada.txt")])


def test_a_table_tells_every_fault(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text(
        "corpus,split,cap\na,tset,\na,all,many\n,all,\nb,test,5\nb,all,\n", encoding="utf-8"
    )
    with pytest.raises(DataError) as caught:
        read_corpora([(tmp_path / "c.csv", "c.csv")])
    assert [(fault.row, fault.code) for fault in caught.value.faults] == [
        (2, "corpus_split"),
        (3, "corpus_cap"),
        (4, "corpus_name"),
        (6, "corpus_twice"),
    ]


def test_the_papers_corpora_ship_as_a_table() -> None:
    # Table 1 has 32 rows in eight genres, nine of them without train and validation; SPACCC is named in the
    # text as a tenth test-only corpus and has no row there.
    from probeta.recipe import PairRecipe, load_recipe

    recipe = load_recipe("esnlir")
    assert isinstance(recipe, PairRecipe)
    corpora = read_corpora([(recipe.path("corpora.csv"), "corpora.csv")])
    assert len(corpora) == 33
    assert len({corpus.genre for corpus in corpora.values()}) == 8
    assert sum(corpus.split == "test" for corpus in corpora.values()) == 10


def test_the_table_agrees_with_the_papers(reference_data: Path) -> None:
    import csv

    from probeta.recipe import load_recipe

    with (reference_data / "paper" / "esnlir_table1.csv").open(encoding="utf-8") as handle:
        paper = list(csv.DictReader(handle))
    corpora = read_corpora([(load_recipe("esnlir").path("corpora.csv"), "corpora.csv")])
    assert set(corpora) - {row["corpus"] for row in paper} == {"esmedical__SPACCC"}
    for row in paper:
        assert corpora[row["corpus"]].split == ("test" if row["train_documents"] == "0" else "all")
