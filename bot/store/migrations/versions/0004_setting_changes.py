"""Longer names of topics; who changed what."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("preferences") as preferences:
        preferences.alter_column("topic", type_=sa.String(32), existing_type=sa.String(16), existing_nullable=False)
    op.create_table(
        "setting_changes",
        sa.Column("change_id", sa.Integer, primary_key=True),
        sa.Column("deed_id", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_by", sa.BigInteger, nullable=False),
        sa.Column("guild_id", sa.BigInteger, nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("scope_id", sa.BigInteger, nullable=False),
        sa.Column("topic", sa.String(32), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("old", sa.Text),
        sa.Column("new", sa.Text),
        sa.Column("undone", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_index("ix_setting_changes_deed_id", "setting_changes", ["deed_id"])
    op.create_index("ix_setting_changes_changed_by", "setting_changes", ["changed_by"])
    op.create_index("ix_setting_changes_place", "setting_changes", ["guild_id", "change_id"])


def downgrade() -> None:
    op.drop_table("setting_changes")
    op.execute("DELETE FROM preferences WHERE length(topic) > 16")
    with op.batch_alter_table("preferences") as preferences:
        preferences.alter_column("topic", type_=sa.String(16), existing_type=sa.String(32), existing_nullable=False)
